"""What is legal but surely not meant: numbers far from usual, waves too fast for the step, joints that stand still."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

import numpy as np

from serpenoid import analysis, configuration
from serpenoid.gaits.base import Gait
from serpenoid.gaits.helix import RollingHelix
from serpenoid.kernels.constants import STANDARD_GRAVITY
from serpenoid.robots.base import PlanarRobot, Robot
from serpenoid.robots.drives import NO_LIMIT
from serpenoid.robots.rotations import rotations
from serpenoid.scenarios.base import Quantity, Scenario
from serpenoid.simulation import world_for
from serpenoid.support.kernel_inputs import chain_of, motion_of, tree_of
from serpenoid.trajectory import Trajectory

FAR = 10.0  # times the largest usual size
MOST_TOLD = 2  # fields that are named one by one
LEAST_STEPS = 20  # integration steps in a period of the gait
WEAK = 0.02  # share of the power of dry friction; the motion adapts, so that several times as much is lost
HARDLY = 0.15  # speed over slip of a robot that hardly goes: a small difference of large frictions
FINER = 3  # times smaller: a smoothing that leaves 1 % of the speed of waves of 0.2 rad in doubt
NEARLY = 1.05  # times a limit: what is not beyond it counts as within
TURNED = 90.0  # [deg] of a way on which the speed from start to end says little
BENT = 0.95  # of the way's length, from start to end: more than a bend of 90 deg leaves
CLIMBS = 0.1  # speed up a pole over that of a body that rolls without slip
STILL = 1e-6  # [m/s]; what is slower does not go
GAINED = 0.01  # work that contacts may seem to do, as a share of what went through the drives
LIFT = 0.002  # and the height by which such work would lift the robot [m]: springs of contacts hold as much
BOUNCE, BLOW = 0.25, 0.2  # share that contacts give back of what they took in the time of a blow [s] before
OPEN = 1e-3  # energy that the books miss, as a share of what went through them
COARSE = 4.0  # times smaller: a step to try where one is too coarse
TIMES = ("duration", "step", "control_period", "sample_period", "settle", "seed")  # any size may be meant


def doubts(scenario: Scenario) -> list[str]:
    """Remarks on a scenario before it runs, a short phrase each."""
    far = list(far_from_usual(scenario))
    others = len(far) - MOST_TOLD
    more = [f"and {others} other field{'s' if others > 1 else ''}"] if others > 0 else []
    told = [*fast_for_the_step(scenario), *held_base(scenario), *unread_sensors(scenario), *unread_fields(scenario)]
    return [*far[:MOST_TOLD], *more, *told, *unmoved(scenario)]


def far_from_usual(scenario: Scenario) -> Iterator[str]:
    """Numbers that are many times what they usually are; a default is always meant."""
    start = type(scenario)()
    meant = {field.name: field.default for field in configuration.walk(start)}
    for field in configuration.walk(scenario):
        if field.range is None or field.name in TIMES or meant.get(field.name) == field.default:
            continue
        if own_default(scenario, field.name) == field.default:
            continue
        low, high = field.range.usual
        sizes = (
            np.abs(np.atleast_1d(np.array(field.default, dtype=float))) if field.default is not None else np.zeros(1)
        )
        if field.name.endswith(".torque_limit"):
            sizes = sizes[sizes != NO_LIMIT]  # a motor of a file that has none
        if sizes.size and sizes.max() > FAR * max(abs(low), abs(high)):
            degrees = configuration.in_radians(sizes.max().item(), field.unit)
            unit = f" {field.unit}" * bool(field.unit)
            yield f"{field.name} = {shown(field.default, sizes.max())}{unit} (usually {low:g} to {high:g}){degrees}"


def own_default(scenario: Scenario, name: str) -> Any:
    """What a field is unless it is given, by the class that has it: a drive that was chosen has numbers of its own."""
    *above, last = name.split(".")
    owner: Any = scenario
    for part in above:
        owner = getattr(owner, part, None)
    return getattr(type(owner), last, None)


def fast_for_the_step(scenario: Scenario) -> Iterator[str]:
    """A gait with few integration steps in a period."""
    frequency = getattr(getattr(scenario, "gait", None), "frequency", 0.0)
    if isinstance(frequency, float) and frequency * scenario.step * LEAST_STEPS > 1.0:
        steps = 1.0 / (frequency * scenario.step)
        yield f"gait.frequency = {frequency:g} Hz leaves {steps:.3g} integration steps a period (try a smaller --step)"


def held_base(scenario: Scenario) -> Iterator[str]:
    """A base that is held, as robots from URDF files have it."""
    if getattr(getattr(scenario, "robot", None), "fixed_base", False):
        yield "the robot's base is held in the world (--robot.fixed_base false sets it free)"


def unread_sensors(scenario: Scenario) -> Iterator[str]:
    """Sensors that nobody reads."""
    robot, _, controller = scenario.parts()
    if isinstance(controller, Gait) and not robot.sensors.ideal:
        yield "robot.sensors have no effect: a gait leads the joints, and only controllers read sensors"


def unread_fields(scenario: Scenario) -> Iterator[str]:
    """Fields of the world that were set and have no effect, as those of another medium."""
    world: Any = scenario.parts().world
    own = getattr(type(scenario)(), "world", None)
    for name in world.unread():
        if getattr(world, name) not in (getattr(own, name, None), getattr(type(world), name)):
            yield f"world.{name} has no effect: world.medium is {getattr(world, 'medium', None)}"


def unmoved(scenario: Scenario) -> Iterator[str]:
    """Joints that nothing drives, or that are told to stand still."""
    robot, _, controller = scenario.parts()
    if not np.any(robot.drive.torque_limits(robot.joints)):
        yield "all joints hang loose: robot.drive.torque_limit = 0 leaves no torque to drive them"
    elif isinstance(controller, Gait):
        motion = motion_of(controller, robot)
        if not np.any(motion.rate * motion.amplitude) and not np.any(motion.coefficients[:, 1:]):
            zero = [f"gait.{name} = 0" for name in ("amplitude", "frequency") if getattr(controller, name, None) == 0.0]
            yield f"the gait moves no joint{': ' if zero else ''}{' and '.join(zero)}"


def shown(value: Any, largest: float) -> str:
    """A number, or the largest of several, in short."""
    return f"{value:g}" if isinstance(value, int | float) else f"... {largest:.3g} ..."


def remarks(run: Trajectory, scenario: Scenario, summary: Mapping[str, Quantity] | None = None) -> list[str]:
    """Remarks on a run that is over; its summary, where it is at hand."""
    robot, told = scenario.parts()[0], scenario.summary(run) if summary is None else summary
    coarse = [*thrown(run, robot, scenario.step)] or [*open_books(told, scenario.step)]
    course = [*slow_slip(run, scenario), *turned_way(run, scenario), *unclimbed(run, scenario, told)]
    return [*fast_joints(run, robot), *course, *coarse]


def finer(step: float) -> str:
    """A step [s] to try where one is too coarse."""
    return f"{step / COARSE:g}"


def thrown(run: Trajectory, robot: Robot, step: float) -> Iterator[str]:
    """Contacts that put energy into the robot: nothing moves what it touches, so that they can only take it."""
    if "work_contact" not in run or "work_absolute" not in run or not run.times.size:
        return
    work, times = run["work_contact"], run.times
    lowest = np.minimum.accumulate(work)
    peak = int((work - lowest).argmax())
    least = int(work[: peak + 1].argmin())
    gained = float(work[peak] - work[least])
    before = int(np.searchsorted(times, times[least] - BLOW))
    passed = float(run["work_absolute"][peak])
    mass = float((chain_of(robot) if isinstance(robot, PlanarRobot) else tree_of(robot)).mass.sum())
    if gained > max(GAINED * passed, BOUNCE * float(work[before] - work[least]), LIFT * STANDARD_GRAVITY * mass):
        yield (
            f"contacts did {gained:.2g} J of work on the robot: the step is too coarse for them; "
            f"try --step {finer(step)}"
        )


def open_books(summary: Mapping[str, Quantity], step: float) -> Iterator[str]:
    """Energy that came from nowhere, or went there."""
    residual = summary["energy_residual"].value if "energy_residual" in summary else 0.0
    if isinstance(residual, float) and residual > OPEN:
        yield (
            f"the books miss {100.0 * residual:.2g} % of the energy that went through them: the step is too coarse; "
            f"try --step {finer(step)}"
        )


def fast_joints(run: Trajectory, robot: Robot) -> Iterator[str]:
    """Joints that turned faster than their robot's drives speed them up; engines with contact limit drives."""
    limit = np.broadcast_to(robot.speed_limit, robot.joints)
    if "joint_velocity" not in run or not run.times.size or "contact_force" in run:
        return
    fastest = np.abs(run["joint_velocity"]).max(axis=0)
    over = int(np.argmax(fastest / limit))
    if fastest[over] > NEARLY * limit[over]:
        yield (
            f"{robot.joint_names[over]} turned at up to {fastest[over]:.3g} rad/s, the robot's limit is "
            f"{limit[over]:.3g} rad/s (try a lower frequency or amplitude)"
        )


def unclimbed(run: Trajectory, scenario: Scenario, summary: Mapping[str, Quantity]) -> Iterator[str]:
    """Remark on a snake that rolls round a pole for half a cycle or longer and does not climb."""
    from serpenoid.scenarios.gait_run import HelixRun

    if not isinstance(scenario, HelixRun) or "climb_over_rolling_without_slip" not in summary:
        return
    if run.duration - scenario.settling(run.duration) < 0.5 * scenario.cycle:
        return
    share = float(summary["climb_over_rolling_without_slip"].value)
    gait = scenario.gait if scenario.controller is None else None
    led = isinstance(gait, RollingHelix) and gait.reversal == 0.0
    way = np.sign(cast(RollingHelix, gait).pitch if led else share)  # the pitch tells which way it is to go
    if share * way < CLIMBS:
        yield (
            f"the snake does not climb: {1e3 * float(summary['climbed'].value):.0f} mm (try a larger --press, "
            "--world.pole_friction or --world.radius)"
        )


def turned_way(run: Trajectory, scenario: Scenario) -> Iterator[str]:
    """A modular snake that went round a bend, so that its speed from start to end is not that along its way."""
    from serpenoid.scenarios.gait_run import GaitRun

    if not isinstance(scenario, GaitRun) or run.times.size < 3:
        return
    start = scenario.settling(run.duration)
    turn = np.degrees(abs(analysis.way_turn(run, scenario.cycle, start)))
    along = analysis.path_speed(run, scenario.cycle, start)
    straight = np.linalg.norm(analysis.mean_velocity(run, start)) > BENT * along  # a place that trembles turns as well
    if turn > TURNED and not straight and along > STILL:
        yield f"the way turned by {turn:.0f} deg: path_speed is the speed along it"


def slow_slip(run: Trajectory, scenario: Scenario) -> list[str]:
    """Dry friction that the smoothing takes away, and speeds that are in doubt by it."""
    world = world_for(*scenario.parts())
    if run.times.size < 3 or "link_pose" not in run:
        return []
    end = scenario.averaged(run)[1]  # beyond it, a snake rests
    travel = analysis.stretch(run.times, end=end)
    if travel.stop < 3:
        return []
    pose = run["link_pose"][travel]
    turned = rotations(pose[..., 3:])
    rates = np.gradient(pose[..., :3], run.times[travel], axis=0)
    velocity = np.einsum("tlij,tli->tlj", turned, rates)  # in links' axes
    lost = world.friction_lost(velocity[..., 0], velocity[..., 1])
    speed = float(np.linalg.norm(analysis.mean_velocity(run, 0.5 * end, end)))
    if lost <= WEAK:
        slow = lost > 0.0 and STILL < speed < HARDLY * float(np.linalg.norm(velocity, axis=-1).mean())
        return [hardly_goes(float(f"{world.eps / FINER:.1g}"))] if slow else []
    smoothing = float(f"{0.1 * world.eps:.1g}")
    return [
        f"links slip so slowly that the smoothing of dry friction takes {100 * lost:.0f} % of it away, and often "
        f"several times that share of speed and power: set --world.smoothing to {smoothing:g} or less"
    ]


def hardly_goes(smoothing: float) -> str:
    """The remark on a robot that hardly goes, with a smoothing [m/s] that would give its speed better."""
    return (
        f"links slip over {1.0 / HARDLY:.0f} times as fast as the snake goes: its speed is the small difference of "
        f"large frictions; --world.smoothing {smoothing:g} gives it better, in up to {FINER} times the time"
    )
