"""`serpenoid import`: a ROS 2 bag, an MCAP file or a table saved as a run."""

from __future__ import annotations

from dataclasses import dataclass

from serpenoid.cli import arguments
from serpenoid.cli.outputs import Output
from serpenoid.cli.printing import column_label, number, plural, say
from serpenoid.errors import InvalidValue
from serpenoid.robots.sensors import ALWAYS_SENSED

TITLE = (
    "serpenoid import FILE OUT.zarr: save an MCAP file, a ROS 2 bag (folder or .db3), or a table (.csv, .parquet) "
    "as a run"
)


@dataclass(frozen=True)
class Options:
    """Options of `import`."""

    topic: str | None = None
    """topic with sensor_msgs/JointState to import; required if a bag has several"""
    joints: str = ""
    """joints to import, in the order of the robot's joints, separated by commas; THEIRS=OURS renames one"""
    overwrite: bool = False
    """replace an existing recording"""


def main(words: list[str]) -> int:
    """Read the file, save the run and print its contents."""
    given = arguments.read_options(words, TITLE, Options())
    if given is None:
        return 0
    paths, options = given
    what = "an .mcap, .db3, .csv or .parquet file or a bag, and OUT.zarr"
    source, target = arguments.two_paths("import", paths, what)
    joints = chosen_joints(options.joints)
    from serpenoid.interchange.importing import import_run

    with Output.at(target, options.overwrite, flag=None) as output:
        run = import_run(source, options.topic, joints)
        path = output.save(run)
    missing = [column_label(name) for name in ALWAYS_SENSED if name not in run]
    if missing:
        say(f"not in the file: {', '.join(missing)}")
    names = run.labels.get("joint", ())
    size = f"{plural(run.times.size, 'sample')} over {number(run.duration, 's')}"
    say(f"written: {path}: {size}, joints {', '.join(names)}")
    return 0


def chosen_joints(text: str) -> dict[str, str]:
    """Return the names in the file with those in the run."""
    pairs = [(name, ours or name) for name, _, ours in (part.strip().partition("=") for part in text.split(","))]
    found = dict(pairs) if text else {}
    if text and (len(found) < len(pairs) or len(set(found.values())) < len(pairs) or not all(found)):
        raise InvalidValue("joints", text, "names separated by commas, each once, such as m1=joint_0,m2=joint_1")
    return found
