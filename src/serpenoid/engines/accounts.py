"""Integrals of joint torque and work in a state, and mean torques and powers derived from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from serpenoid.engines.layout import Layout

ACCOUNTS = (  # in the order of kernels/accounts.py
    "work_drive", "work_medium", "work_damping", "work_external", "work_absolute", "work_wheels", "work_ground",
    "work_impacts",
)  # fmt: skip
CONTACT_ACCOUNTS = (*ACCOUNTS[:5], "work_contact")


# Torques and powers of a trajectory, and the integrals whose differences over a sample interval give their means.
MEANS = {
    "joint_torque": "joint_impulse", "power": "work_absolute", "power_drive": "work_drive",
    "power_medium": "work_medium", "power_damping": "work_damping",
}  # fmt: skip


def account_variables(
    layout: Layout,
    states: NDArray,
    names: Sequence[str] = ACCOUNTS,
    shown: Callable[[NDArray], NDArray] = np.asarray,
) -> dict[str, NDArray]:
    """Return the integrals by name; work done on the robot is positive. `shown` is described at Engine.shown()."""
    parts = {"joint_impulse": "impulses", "joint_torque_squared": "squares", "joint_work": "works"}
    found = {name: shown(layout.part(states, part)) for name, part in parts.items()}
    return found | dict(zip(names, layout.part(states, "accounts").T))


def mean_rates(times: NDArray, account: NDArray, moments: NDArray) -> NDArray:
    """Return means over the interval ending at each sample, from an integral (samples, ...); first the instantaneous
    value.
    """
    out = np.array(moments, dtype=float)
    out[1:] = np.diff(account, axis=0) / np.diff(times).reshape(-1, *(1,) * (out.ndim - 1))
    return out


def over_intervals(times: NDArray, found: Mapping[str, NDArray]) -> dict[str, NDArray]:
    """Replace torques and powers by means over the interval ending at each sample; the first stays instantaneous.

    Commands jump at ticks and samples coincide with ticks, so instantaneous values would be far from the mean.
    """
    accounts = {name: found[account] for name, account in MEANS.items() if account in found}
    if "power_world" in found:  # it also changes the potential energy, which work_medium excludes
        accounts["power_world"] = found["work_medium"] - found["energy_potential"]
    means = {name: mean_rates(times, account, found[name]) for name, account in accounts.items() if name in found}
    return {**found, **means}
