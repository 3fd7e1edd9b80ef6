"""Sanity checks for legal but probably unintended input: unusual values, waves too fast for the step, idle joints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

import numpy as np

from serpenoid import analysis, configuration
from serpenoid.control.base import Controller
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

FAR = 10.0  # multiple of the largest usual magnitude
MOST_NAMED = 2  # fields that are named individually
LEAST_STEPS = 20  # integration steps per period of the gait
WEAK = 0.02  # lost fraction of dry friction's power; speed and power lose several times as much
HARDLY = 0.15  # ratio of speed to slip below which the speed is a small difference of large friction forces
FINER = 3  # factor for a smoothing that leaves 1 % of the speed uncertain for waves of 0.2 rad
NEARLY = 1.05  # tolerance factor of a limit
TURNED = 90.0  # change of direction [deg] beyond which the net speed is misleading
BENT = 0.95  # net distance over path length; a bend of 90 deg gives less
CLIMBS = 0.1  # climbing speed over that of rolling without slip
STILL = 1e-6  # slower is standing still [m/s]
GAINED = 0.01  # apparent work of contacts, as a fraction of the drives' absolute work
LIFT = 0.002  # height equivalent of that work [m]: energy stored in contact springs
BOUNCE, BLOW = 0.25, 0.2  # returned fraction of the energy absorbed within the impact time [s] before
OPEN = 1e-3  # relative energy residual
COARSE = 4.0  # factor for a smaller step to try
TIMES = ("duration", "step", "control_period", "sample_period", "settle", "seed")  # any magnitude may be intended


def doubts(scenario: Scenario) -> list[str]:
    """Return warnings about a scenario before it runs, a short phrase each."""
    far = list(far_from_usual(scenario))
    others = len(far) - MOST_NAMED
    more = [f"and {others} other field{'s' if others > 1 else ''}"] if others > 0 else []
    robot, world, controller = scenario.parts()
    rest = [*fast_for_the_step(scenario), *held_base(scenario), *unread_sensors(robot, controller)]
    return [*far[:MOST_NAMED], *more, *rest, *unread_fields(scenario, world), *idle_joints(robot, controller)]


def far_from_usual(scenario: Scenario) -> Iterator[str]:
    """Yield values far outside their usual range; defaults are exempt."""
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
            sizes = sizes[sizes != NO_LIMIT]  # a motor from a file without a limit
        if sizes.size and sizes.max() > FAR * max(abs(low), abs(high)):
            degrees = configuration.in_radians(sizes.max().item(), field.unit)
            unit = f" {field.unit}" * bool(field.unit)
            yield f"{field.name} = {as_text(field.default, sizes.max())}{unit} (usually {low:g} to {high:g}){degrees}"


def own_default(scenario: Scenario, name: str) -> Any:
    """Return the default of a field in the class that defines it, e.g. in the selected drive."""
    *above, last = name.split(".")
    owner: Any = scenario
    for part in above:
        owner = getattr(owner, part, None)
    return getattr(type(owner), last, None)


def fast_for_the_step(scenario: Scenario) -> Iterator[str]:
    """Yield a warning if a gait has few integration steps per period."""
    frequency = getattr(getattr(scenario, "gait", None), "frequency", 0.0)
    if isinstance(frequency, float) and frequency * scenario.step * LEAST_STEPS > 1.0:
        steps = 1.0 / (frequency * scenario.step)
        yield f"gait.frequency = {frequency:g} Hz leaves {steps:.3g} integration steps per period; try a smaller --step"


def held_base(scenario: Scenario) -> Iterator[str]:
    """Yield a warning about a fixed base, the default for URDF files."""
    if getattr(getattr(scenario, "robot", None), "fixed_base", False):
        yield "the robot's base is fixed; --robot.fixed_base false frees it"


def unread_sensors(robot: Robot, controller: Gait | Controller) -> Iterator[str]:
    """Yield a warning about sensors that are not read."""
    if isinstance(controller, Gait) and not robot.sensors.ideal:
        yield "robot.sensors have no effect: only controllers read sensors, and a gait commands the joints"


def unread_fields(scenario: Scenario, world: Any) -> Iterator[str]:
    """Yield fields of the world that were set but have no effect, e.g. those of another medium."""
    own = getattr(type(scenario)(), "world", None)
    for name in world.unread():
        if getattr(world, name) not in (getattr(own, name, None), getattr(type(world), name)):
            yield f"world.{name} has no effect: world.medium is {getattr(world, 'medium', None)}"


def idle_joints(robot: Robot, controller: Gait | Controller) -> Iterator[str]:
    """Yield a warning about joints that are not driven or do not move."""
    if not np.any(robot.drive.torque_limits(robot.joints)):
        yield "no joint is driven: robot.drive.torque_limit = 0"
    elif isinstance(controller, Gait):
        motion = motion_of(controller, robot)
        if not np.any(motion.rate * motion.swing) and not np.any(motion.coefficients[:, 1:]):
            zero = [f"gait.{name} = 0" for name in ("amplitude", "frequency") if getattr(controller, name, None) == 0.0]
            yield f"the gait does not move any joint{': ' if zero else ''}{' and '.join(zero)}"


def as_text(value: Any, largest: float) -> str:
    """Format a number, or the largest of several."""
    return f"{value:g}" if isinstance(value, int | float) else f"... {largest:.3g} ..."


def remarks(run: Trajectory, scenario: Scenario, summary: Mapping[str, Quantity] | None = None) -> list[str]:
    """Return warnings about a completed run; `summary` avoids computing it again."""
    robot, measures = scenario.parts()[0], scenario.summary(run) if summary is None else summary
    coarse = [*contact_work(run, robot, scenario.step)] or [*open_energy_balance(measures, scenario.step)]
    course = [*slow_slip(run, scenario), *bent_path(run, scenario), *missing_climb(run, scenario, measures)]
    return [*fast_joints(run, robot), *course, *coarse]


def finer(step: float) -> str:
    """Format a smaller step [s] to try."""
    return f"{step / COARSE:g}"


def contact_work(run: Trajectory, robot: Robot, step: float) -> Iterator[str]:
    """Yield a warning if static contacts added energy to the robot, which is physically impossible."""
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
        yield (f"contacts did {gained:.2g} J of work on the robot: the step is too large; try --step {finer(step)}")


def open_energy_balance(summary: Mapping[str, Quantity], step: float) -> Iterator[str]:
    """Yield a warning if the energy balance does not close."""
    residual = summary["energy_residual"].value if "energy_residual" in summary else 0.0
    if isinstance(residual, float) and residual > OPEN:
        yield (f"energy balance is off by {100.0 * residual:.2g} %; try --step {finer(step)}")


def fast_joints(run: Trajectory, robot: Robot) -> Iterator[str]:
    """Yield a warning about joints faster than their drives allow; engines with contact limit the drives themselves."""
    limit = np.broadcast_to(robot.speed_limit, robot.joints)
    if "joint_velocity" not in run or not run.times.size or "contact_force" in run:
        return
    fastest = np.abs(run["joint_velocity"]).max(axis=0)
    over = int(np.argmax(fastest / limit))
    if fastest[over] > NEARLY * limit[over]:
        yield (
            f"{robot.joint_names[over]} rotated at up to {fastest[over]:.3g} rad/s, but the robot's limit is "
            f"{limit[over]:.3g} rad/s; try a lower frequency or amplitude"
        )


def missing_climb(run: Trajectory, scenario: Scenario, summary: Mapping[str, Quantity]) -> Iterator[str]:
    """Yield a warning if a snake rolls around a pole for at least half a cycle without climbing."""
    from serpenoid.scenarios.gait_run import HelixRun

    if not isinstance(scenario, HelixRun) or "climb_over_rolling_without_slip" not in summary:
        return
    if run.duration - scenario.settling(run.duration) < 0.5 * scenario.cycle:
        return
    share = float(summary["climb_over_rolling_without_slip"].value)
    gait = scenario.gait if scenario.controller is None else None
    led = isinstance(gait, RollingHelix) and gait.reversal == 0.0
    way = np.sign(cast(RollingHelix, gait).pitch if led else share)  # the sign of the pitch is the intended direction
    if share * way < CLIMBS:
        yield (
            f"the snake does not climb: {1e3 * float(summary['climbed'].value):.0f} mm; try a larger --press, "
            "--world.pole_friction or --world.radius"
        )


def bent_path(run: Trajectory, scenario: Scenario) -> Iterator[str]:
    """Yield a warning if the path of a modular snake bends, so that net speed and path speed differ."""
    from serpenoid.scenarios.gait_run import GaitRun

    if not isinstance(scenario, GaitRun) or run.times.size < 3:
        return
    start = scenario.settling(run.duration)
    turn = np.degrees(abs(analysis.path_rotation(run, scenario.cycle, start)))
    along = analysis.path_speed(run, scenario.cycle, start)
    straight = np.linalg.norm(analysis.mean_velocity(run, start)) > BENT * along  # jitter also changes direction
    if turn > TURNED and not straight and along > STILL:
        yield f"the path bends by {turn:.0f} deg; path_speed is the speed along it"


def slow_slip(run: Trajectory, scenario: Scenario) -> list[str]:
    """Return warnings about dry friction lost to the smoothing, and about speeds that depend on it."""
    world = world_for(*scenario.parts())
    if run.times.size < 3 or "link_pose" not in run:
        return []
    end = scenario.averaged(run)[1]  # after it, the snake rests
    travel = analysis.stretch(run.times, end=end)
    if travel.stop < 3:
        return []
    pose = run["link_pose"][travel]
    turned = rotations(pose[..., 3:])
    rates = np.gradient(pose[..., :3], run.times[travel], axis=0)
    velocity = np.einsum("tlij,tli->tlj", turned, rates)  # in the axes of the links
    lost = world.friction_lost(velocity[..., 0], velocity[..., 1])
    speed = float(np.linalg.norm(analysis.mean_velocity(run, 0.5 * end, end)))
    if lost <= WEAK:
        slow = lost > 0.0 and STILL < speed < HARDLY * float(np.linalg.norm(velocity, axis=-1).mean())
        return [slow_progress(float(f"{world.eps / FINER:.1g}"))] if slow else []
    smoothing = float(f"{0.1 * world.eps:.1g}")
    return [
        f"links slip so slowly that the smoothing of dry friction removes {100 * lost:.0f} % of it, and often "
        f"several times that fraction of speed and power; set --world.smoothing to {smoothing:g} or less"
    ]


def slow_progress(smoothing: float) -> str:
    """Return the warning for a small net speed, with a smoothing [m/s] that resolves it better."""
    return (
        f"slip is over {1.0 / HARDLY:.0f} times the net speed, so the net speed depends on the friction smoothing; "
        f"--world.smoothing {smoothing:g} is more accurate and takes up to {FINER} times as long"
    )
