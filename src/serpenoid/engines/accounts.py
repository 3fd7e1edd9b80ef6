"""Accounts of joints and of work in a state, means of torque and power from them, and the energy of springs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from serpenoid.engines.base import Variable
from serpenoid.engines.layout import Layout
from serpenoid.robots.drives import Drive

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


# Torques and powers of a trajectory, and the accounts whose differences over a sample interval are their means.
MEANS = {
    "joint_torque": "joint_impulse", "power": "work_absolute", "power_drive": "work_drive",
    "power_medium": "work_medium", "power_damping": "work_damping",
}  # fmt: skip


def account_variables(
    layout: Layout,
    states: NDArray,
    names: Sequence[tuple[str, str]] = ACCOUNTS,
    shown: Callable[[NDArray], NDArray] = np.asarray,
) -> dict[str, Variable]:
    """The accounts by name; done on the robot is positive. shown: values of joints that move as those of all joints."""
    joint = ("time", "joint")
    impulses, squares, works = (shown(layout.part(states, name)) for name in ("impulses", "squares", "works"))
    found = {
        "joint_impulse": Variable(joint, impulses, "N m s", "integral of the drive's torque so far"),
        "joint_torque_squared": Variable(joint, squares, "N^2 m^2 s", "integral of the drive's squared torque so far"),
        "joint_work": Variable(joint, works, "J", "work of each drive so far"),
    }
    named = zip(names, layout.part(states, "accounts").T)
    return found | {name: Variable(("time",), values, "J", meaning) for (name, meaning), values in named}


def mean_rates(times: NDArray, account: NDArray, moments: NDArray) -> NDArray:
    """Means over the interval that ends at each sample, from an account (samples, ...); at first the moment's value."""
    out = np.array(moments, dtype=float)
    out[1:] = np.diff(account, axis=0) / np.diff(times).reshape(-1, *(1,) * (out.ndim - 1))
    return out


def over_intervals(times: NDArray, found: Mapping[str, Variable]) -> dict[str, Variable]:
    """Variables with torques and powers as means over the interval that ends at each sample, the moment's at the first.

    A command jumps at a tick and samples fall on ticks, so that values of the moment would be far from the mean.
    """
    accounts = {name: found[account].values for name, account in MEANS.items() if account in found}
    if "power_world" in found:  # it moves potential energy too, which the account leaves out
        accounts["power_world"] = found["work_medium"].values - found["energy_potential"].values
    out = dict(found)
    for name in accounts.keys() & found.keys():
        values, meaning = mean_rates(times, accounts[name], found[name].values), found[name].meaning
        out[name] = found[name]._replace(values=values, meaning=f"mean {meaning}")
    return out


def spring_variables(drive: Drive, layout: Layout, states: NDArray) -> dict[str, Variable]:
    """Where the motors are and what springs and rotors hold; nothing for drives without a spring."""
    if not drive.states:
        return {}
    joints, motors, rates = (layout.part(states, name) for name in ("joints", "motors", "motor_rates"))
    stored = drive.energy(joints, motors, rates)
    return {
        "motor_position": Variable(("time", "joint"), motors, "rad", "motor angle, before the spring"),
        "energy_spring": Variable(("time",), stored, "J", "energy of springs and rotors"),
    }
