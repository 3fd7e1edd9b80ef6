"""The accounts of work in a state, and the energy of springs, as variables of a trajectory."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import NDArray

from serpenoid.engines.base import Variable
from serpenoid.engines.layout import Layout
from serpenoid.robots.drives import AnyDrive, SeriesElastic

ACCOUNTS = (  # in the order of kernels/accounts.py
    ("work_drive", "work of the drives on the robot so far"),
    ("work_medium", "work of ground or fluid on the links so far, what they give back (weight, added mass) apart"),
    ("work_damping", "work of viscous friction in the joints so far"),
    ("work_external", "work of wrenches from outside so far, and the energy that came with changed fields"),
    ("work_absolute", "what the drives cost so far: integral of the sum over joints of |torque x rate|"),
    ("work_wheels", "work of friction under slipping wheels so far"),
    ("work_ground", "work of friction under the sliding object so far"),
    ("work_impacts", "work of impacts so far"),
)


CONTACT_ACCOUNTS = (*ACCOUNTS[:5], ("work_contact", "work of contacts and joint stops on the robot so far"))


def account_variables(accounts: NDArray, names: Sequence[tuple[str, str]] = ACCOUNTS) -> dict[str, Variable]:
    """The accounts (samples, 5 to 8) by name; done on the robot is positive."""
    named = zip(names, accounts.T)
    return {name: Variable(("time",), values, "J", meaning) for (name, meaning), values in named}


def spring_variables(drive: AnyDrive, layout: Layout, states: NDArray) -> dict[str, Variable]:
    """Where the motors are and what springs and rotors hold; nothing for drives without a spring."""
    if not isinstance(drive, SeriesElastic):
        return {}
    joints, motors, rates = (layout.part(states, name) for name in ("joints", "motors", "motor_rates"))
    stored = drive.energy(joints, motors, rates)
    return {
        "motor_position": Variable(("time", "joint"), motors, "rad", "motor angle, before the spring"),
        "energy_spring": Variable(("time",), stored, "J", "energy of springs and rotors"),
    }
