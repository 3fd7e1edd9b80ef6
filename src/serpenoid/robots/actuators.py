"""Actuators and effort limits of MJCF and URDF files, converted to one drive."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.robots.drives import NO_LIMIT, PD, Prescribed
from serpenoid.robots.planar_files import each
from serpenoid.support.reading import decimal

if TYPE_CHECKING:
    from xml.etree import ElementTree

    import mujoco

REACH = 1.0 / 3.0  # [rad] error at which a motor without gains exerts its full torque
FASTEST = 250.0  # [rad/s] largest natural frequency of that joint, stable at a step of 1 ms
LOOSE = 1e-14  # [N m] written for zero torque in files, where 0 means unlimited
LONGEST = 20  # characters of a word that a note shows
SAME = 1e-9  # relative difference below which two numbers of a file count as equal


class Push(NamedTuple):
    """Gains and torque range of one actuator, or of all actuators of a joint."""

    stiffness: float  # [N m/rad]
    damping: float  # [N m s/rad]
    low: float  # least torque [N m]
    high: float  # greatest torque [N m]


class Actuators:
    """Actuators of a compiled model, by joint; `notes` lists what cannot be used."""

    def __init__(self, model: mujoco.MjModel, joints: Sequence[int]):
        self.model, self.joints = model, joints
        self.pushes: dict[int, list[Push]] = {}
        self.motors: set[int] = set()  # joints with a motor that has no gains of its own
        self.left_out: list[str] = []
        self.notes: list[str] = []
        for actuator in range(model.nu):
            self.take(actuator)
        if self.left_out:
            self.notes.insert(0, f"actuators omitted: {', '.join(self.left_out)}")

    def take(self, actuator: int) -> None:
        """Add an actuator to its joint, or to the actuators omitted with the reason."""
        name = self.model.actuator(actuator).name or f"number {actuator}"
        reason = self.refusal(actuator)
        if reason:
            self.left_out.append(f"{name} ({reason})")
            return
        joint, push = int(self.model.actuator_trnid[actuator, 0]), self.push(actuator)
        self.pushes.setdefault(joint, []).append(push)
        if not (push.stiffness or push.damping):
            self.motors.add(joint)
        self.remark(name, actuator, joint, push)

    def refusal(self, actuator: int) -> str:
        """Return why an actuator is not a motor or servo of a hinge; empty if it is one."""
        import mujoco

        model = self.model
        transmission = mujoco.mjtTrn(model.actuator_trntype[actuator])
        if transmission not in (mujoco.mjtTrn.mjTRN_JOINT, mujoco.mjtTrn.mjTRN_JOINTINPARENT):
            return f"by a {transmission.name.removeprefix('mjTRN_').lower()}, not by a joint"
        if int(model.actuator_trnid[actuator, 0]) not in self.joints:
            return "on the base"
        gain, bias = (
            mujoco.mjtGain(model.actuator_gaintype[actuator]),
            mujoco.mjtBias(model.actuator_biastype[actuator]),
        )
        if gain != mujoco.mjtGain.mjGAIN_FIXED or bias not in (
            mujoco.mjtBias.mjBIAS_NONE,
            mujoco.mjtBias.mjBIAS_AFFINE,
        ):
            return "neither motor nor servo"
        _, spring, damper = self.bias(actuator)
        if spring > 0.0 or damper > 0.0 or (spring and abs(spring + self.gain(actuator)) > SAME * abs(spring)):
            return "neither motor nor servo"
        return ""

    def gain(self, actuator: int) -> float:
        """Force for a control of 1."""
        return float(self.model.actuator_gainprm[actuator, 0])

    def bias(self, actuator: int) -> tuple[float, float, float]:
        """Force at rest, and with the actuator's length and speed; none unless the actuator has a bias."""
        import mujoco

        if self.model.actuator_biastype[actuator] == mujoco.mjtBias.mjBIAS_NONE:
            return 0.0, 0.0, 0.0
        constant, spring, damper = (float(number) for number in self.model.actuator_biasprm[actuator, :3])
        return constant, spring, damper

    def push(self, actuator: int) -> Push:
        """Return gear clip(gain control + bias); servo gains scale with gear^2, since the control is target times
        gear.
        """
        model, gear = self.model, float(self.model.actuator_gear[actuator, 0])
        _, spring, damper = self.bias(actuator)
        low, high = -np.inf, np.inf
        if model.actuator_ctrllimited[actuator] and not (spring or damper):
            low, high = np.sort(self.gain(actuator) * model.actuator_ctrlrange[actuator])
        if model.actuator_forcelimited[actuator]:
            low, high = np.clip((low, high), *model.actuator_forcerange[actuator])
        if gear == 0.0 or not (self.gain(actuator) or spring or damper):
            return Push(0.0, 0.0, 0.0, 0.0)
        low, high = sorted((gear * low, gear * high))
        return Push(-(gear**2) * spring, -(gear**2) * damper, float(low), float(high))

    def remark(self, name: str, actuator: int, joint: int, push: Push) -> None:
        """Note features of an actuator in use that are not modelled."""
        model = self.model
        if model.actuator_dyntype[actuator]:
            self.notes.append(f"{name} acts at once (its activation is not modelled)")
        if self.bias(actuator)[0]:
            self.notes.append(f"{name} has no force at rest (bias {self.bias(actuator)[0]:g} is not modelled)")
        if not model.actuator_ctrllimited[actuator] or not (push.stiffness or push.damping):
            return
        gear = float(model.actuator_gear[actuator, 0])
        low, high = np.sort(model.actuator_ctrlrange[actuator] / gear)
        lower, upper = model.jnt_range[joint] if model.jnt_limited[joint] else (-np.inf, np.inf)
        slack = SAME * (high - low)
        if not push.stiffness or low > lower + slack or high < upper - slack:
            unit = "rad" if push.stiffness else "rad/s"
            self.notes.append(f"targets of {name} are not kept within {low:.4g} to {high:.4g} {unit} (ctrlrange)")

    def of(self, joint: int) -> Push:
        """Return the sum of a joint's actuators within its effort limit; only the limit if it has no actuator."""
        pushes, model = self.pushes.get(joint, []), self.model
        total = Push(*np.sum(pushes, axis=0).tolist()) if pushes else Push(0.0, 0.0, 0.0, 0.0)
        if not self.pushes:
            total = total._replace(low=-np.inf, high=np.inf)
        if model.jnt_actfrclimited[joint]:
            low, high = np.clip((total.low, total.high), *model.jnt_actfrcrange[joint]).tolist()
            total = total._replace(low=low, high=high)
        if abs(total.low + total.high) > SAME * abs(total.high - total.low):
            which = model.joint(joint).name or joint
            self.notes.append(f"{which} pushes by {total.low:g} to {total.high:g} N m: the larger is taken both ways")
        return total


def drive_of(model: mujoco.MjModel, joints: Sequence[int]) -> tuple[PD | Prescribed, list[str]]:
    """Return the drive of hinges, by their numbers in MuJoCo's model, and notes on omitted parts of the file.

    Without limits and gains, joints follow their commands exactly. Plain motors define no gains. They get full
    torque at an error of REACH, a natural frequency of at most FASTEST, and critical damping. The inertia is that
    of a joint with all others free.
    """
    found = Actuators(model, joints)
    pushes = [found.of(joint) for joint in joints]
    limit = np.array([max(-push.low, push.high) for push in pushes])
    limit[limit <= LOOSE] = 0.0
    gains = np.array([(push.stiffness, push.damping) for push in pushes])
    if not gains.any() and np.all(limit >= NO_LIMIT):
        return Prescribed(), found.notes
    limit = np.minimum(limit, NO_LIMIT)
    inertia = 1.0 / model.dof_invweight0[model.jnt_dofadr[list(joints)]]
    own = motor_gains(limit, inertia)
    unaided = np.array(
        [not gains[i].any() and (joint in found.motors or not found.pushes) for i, joint in enumerate(joints)]
    )
    gains = np.where(unaided[:, None], own, gains)
    return PD(each(gains[:, 0]), each(gains[:, 1]), each(limit)), found.notes


def motor_gains(limit: NDArray, inertia: NDArray) -> NDArray:
    """Return stiffness [N m/rad] and damping [N m s/rad] (joints, 2) for limits [N m] and inertias [kg m^2]."""
    stiffness = np.minimum(limit / REACH, inertia * FASTEST**2)
    return np.stack([stiffness, 2.0 * np.sqrt(stiffness * inertia)], axis=1)


def speed_limits(root: ElementTree.Element) -> tuple[dict[str, float], list[str]]:
    """Return the speed limits of a URDF's joints by name [rad/s], and a note on those that cannot be read."""
    found, unread = {}, []
    for joint in root.iterfind("joint"):
        limit, name = joint.find("limit"), joint.get("name", "")
        word = "0" if limit is None else limit.get("velocity", "0")
        try:
            speed = decimal(word)
        except ValueError:
            speed = np.nan
        if 0.0 < speed < NO_LIMIT:
            found[name] = speed
        elif not speed >= 0.0:
            unread.append(f"{name} ({word[:LONGEST]})")
    return found, [f"unreadable speed limits: {', '.join(unread)}"] if unread else []
