"""Fig. 4, P1, P2, P4: norms and slippage ratio over the torque plane of one shape, three scenarios, several kappa."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.push.constraints import link_angles
from serpenoid.mechanics.constraint_maps import constraint_maps
from serpenoid.mechanics.slippage import PushResponse, input_torques, prepare_push, pushing
from serpenoid.plotting.style import INK, new_figure, write
from serpenoid.worlds.pushing import Wheels
from serpenoid_papers.base import ExperimentConfig, Finding, Progress
from serpenoid_papers.pushing.common import EXAMPLE, KAPPA, NAMES, WHEELS, object_of, robot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh

# Other readings of the input region and of the wheels: (torques times, friction, whether (31) has the inverse of the
# joints' block of Ms in place of that block of the inverse)
READINGS = {
    "region twice as large": (2.0, 0.1, False),
    "friction 0.05": (1.0, 0.05, False),
    "inverse of the block": (1.0, 0.1, True),
}
HIGH = 0.5  # a larger ratio counts as high: the object gets more than half of the motion


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """Configuration of the experiment."""

    directions: int = 720
    """directions in the torque plane"""
    radii: int = 60
    """radial steps from its centre to its rim"""
    kappas: tuple[float, ...] = (1.0, 10.0, 100.0, 1000.0)
    """masses of the object over that of a link"""

    @classmethod
    def quick(cls) -> Config:
        """Use a coarser plane."""
        return cls(directions=360, radii=20)

    @classmethod
    def tiny(cls) -> Config:
        """Use a coarse plane and one mass."""
        return cls(directions=360, radii=4, kappas=(KAPPA,))


class Result(NamedTuple):
    """Responses over the disc of torques."""

    disc: NDArray  # (directions, radii, 2) points of the unit disc
    torques: NDArray  # (directions, radii, 2) [N m]
    responses: dict[tuple[int, float], PushResponse]  # by scenario and kappa, flat over the disc
    readings: dict[str, dict[int, PushResponse]]  # by other readings and scenario, at KAPPA


def run(config: Config, progress: Progress) -> Result:
    """Compute all torques of the input region, for each scenario and kappa."""
    angle = 2.0 * np.pi * np.arange(config.directions) / config.directions
    radius = np.arange(1, config.radii + 1) / config.radii
    disc = np.stack([np.outer(np.cos(angle), radius), np.outer(np.sin(angle), radius)], axis=-1)
    snake, flat = robot(2), np.ascontiguousarray(disc.reshape(-1, 2))
    torques = input_torques(snake, EXAMPLE, flat)
    responses = {
        (number, kappa): pushing(snake, EXAMPLE, object_of(kappa), torques, wheels=wheels)
        for number, wheels in WHEELS.items()
        for kappa in sorted({*config.kappas, KAPPA})
    }
    readings = {}
    for name, (times, friction, of_block) in READINGS.items():
        given = times * (flat @ np.linalg.cholesky(joint_block()).T if of_block else torques)
        kinds = {2: Wheels("friction", friction=friction), 3: WHEELS[3]}
        readings[name] = {n: pushing(snake, EXAMPLE, object_of(), given, wheels=wheels) for n, wheels in kinds.items()}
    return Result(disc, torques.reshape(disc.shape), responses, readings)


def joint_block() -> NDArray:
    """Return the joints' block of Ms (2, 2) for the tail's end as base: the inertia of the joints on a fixed tail."""
    levers = prepare_push(robot(2), object_of(), "none", None)[0].levers
    angles = link_angles(0.0, EXAMPLE)
    across = np.stack([-np.sin(angles), np.cos(angles)])
    rates = np.tril(np.ones((3, 3)))[:, 1:]  # of the links per joint rate
    center = -(across * levers.joint[0]) @ rates  # velocity of the centre of mass per joint rate
    coupling = levers.coupling * np.cos(angles[:, None] - angles) + np.diag(levers.inertia)
    return levers.mass * center.T @ center + rates.T @ coupling @ rates


def on_rim(result: Result, values: NDArray) -> NDArray:
    """Return the values (directions,) at the rim of the region."""
    return values.reshape(result.disc.shape[:2])[:, -1]


def high_area(result: Result, response: PushResponse) -> float:
    """Return the share of the input region (in its own measure) with a high ratio."""
    ratio = response.ratio.reshape(result.disc.shape[:2])
    weight = np.broadcast_to(np.linalg.norm(result.disc, axis=-1), ratio.shape)
    return float((weight * (ratio > HIGH)).sum() / weight.sum())


def claims(result: Result) -> list[Finding]:
    """Report the findings on P1, P2 and P4."""
    found = {number: result.responses[number, KAPPA] for number in WHEELS}
    norms = {f"scenario_{n}": float(on_rim(result, r.object_norm).max()) for n, r in found.items()}
    ratios = {f"scenario_{n}": float(on_rim(result, r.ratio).max()) for n, r in found.items()}
    lost = max(float(r.ratio[~r.contact_holds].max()) for r in found.values())
    areas = {f"high_area_{n}": high_area(result, r) for n, r in found.items()}
    others = {
        name: {f"high_area_{n}": high_area(result, r) for n, r in readings.items()}
        for name, readings in result.readings.items()
    }
    moves = {f"moves_{n}": bool(r.object_norm.max() > 0.0) for n, r in found.items()}
    inside = float(found[2].ratio.max())
    where = f"q = (-135, -135) deg, kappa = {KAPPA:g}"
    return [
        Finding("P1", norms, f"largest |a_obj|^2 [N^2/kg] on the rim of the input region, {where}"),
        Finding(
            "P2", ratios,
            f"largest slippage ratio on the rim, {where}. Inside the region scenario 2 reaches {inside:.3f}. Small "
            "torques do not slip its wheels, which makes it equal to scenario 3",
        ),
        Finding(
            "P4", {"ratio_without_contact": lost, **areas, **others, **moves},
            f"whole input region, {where}; high means a ratio above {HIGH:g}, areas are shares of the region. In "
            f"scenario 2 a wheel slips in only {found[2].slips.any(axis=1).mean():.2%} of it, near the rim. "
            "Elsewhere it equals scenario 3. Other readings: a region of twice the torque, wheels with friction 0.05, "
            "and (31) with the inverse of the joints' block of Ms in place of that block of the inverse",
        ),
    ]  # fmt: skip


def figure(result: Result, folder: Path) -> list[Path]:
    """Draw Fig. 4: object, robot and ratio by scenario, then the ratio for every kappa."""
    return [
        draw_norms(result, folder / "fig4_norms.png"),
        draw_ratios(result, folder / "fig4_ratio_kappa.png"),
        draw_forces(folder / "force_ellipsoid.png"),
    ]


def draw_forces(path: Path) -> Path:
    """Draw the force ellipsoid (17) of scenario 3: its projections on pairs of constraints."""
    maps = constraint_maps(robot(2), EXAMPLE, object_of(), wheels=WHEELS[3])
    turn = np.linspace(0.0, 2.0 * np.pi, 200)
    rim = maps.force_axes @ np.stack([np.cos(turn), np.sin(turn)])
    sheet = new_figure(9.0, 3.2)
    for axes, (a, b) in zip(sheet.subplots(1, 3), ((0, 1), (0, 2), (1, 2))):
        axes.fill(rim[a], rim[b], alpha=0.2)
        for axis in maps.force_axes.T:
            axes.plot([0.0, axis[a]], [0.0, axis[b]], color=INK, linewidth=1.0)
        axes.set_xlabel(f"{maps.rows[a]} [N]", fontsize=8.5)
        axes.set_ylabel(f"{maps.rows[b]} [N]", fontsize=8.5)
        axes.tick_params(labelsize=7.5)
    return write(sheet, path)


def draw_norms(result: Result, path: Path) -> Path:
    """Draw three rows (object, robot, ratio) by three scenarios."""
    sheet = new_figure(9.0, 8.2)
    rows = (
        ("object_norm", r"$|a_{obj}|^2$ [N$^2$/kg]"),
        ("robot_norm", r"$|\ddot q_s|^2$ [N$^2$/kg]"),
        ("ratio", r"slippage ratio $s_r$ [-]"),
    )
    axes = sheet.subplots(3, 3, sharex=True, sharey=True)
    for row, (name, label) in enumerate(rows):
        top = max(float(np.nanmax(getattr(result.responses[n, KAPPA], name))) for n in WHEELS)
        for column, number in enumerate(WHEELS):
            image = paint(axes[row, column], result, getattr(result.responses[number, KAPPA], name), top)
            if row == 0:
                axes[row, column].set_title(f"scenario {number}: {NAMES[number]}", fontsize=10, color=INK)
        sheet.colorbar(image, ax=axes[row], label=label, shrink=0.9)
    name_axes(axes)
    return write(sheet, path)


def draw_ratios(result: Result, path: Path) -> Path:
    """Draw the ratio by kappa (rows) and scenario (columns)."""
    kappas = sorted({kappa for _, kappa in result.responses})
    sheet = new_figure(9.0, 2.5 * len(kappas))
    axes = sheet.subplots(len(kappas), 3, sharex=True, sharey=True, squeeze=False)
    for row, kappa in enumerate(kappas):
        for column, number in enumerate(WHEELS):
            image = paint(axes[row, column], result, result.responses[number, kappa].ratio, 1.0)
            axes[row, column].set_title(rf"scenario {number}, $\kappa$ = {kappa:g}", fontsize=9, color=INK)
    sheet.colorbar(image, ax=axes, label=r"slippage ratio $s_r$", shrink=0.6)
    name_axes(axes)
    return write(sheet, path)


def paint(axes: Axes, result: Result, values: NDArray, top: float) -> QuadMesh:
    """Draw one map over the torque plane, from 0 to `top`."""
    x, y = (close_circle(result.torques[..., k]) * 1e3 for k in range(2))
    image = axes.pcolormesh(
        x, y, close_circle(values.reshape(result.disc.shape[:2])), cmap="viridis", vmin=0.0, vmax=top,
        shading="gouraud",
        rasterized=True,
    )  # fmt: skip
    axes.set_aspect("equal")
    axes.tick_params(labelsize=7.5)
    return image


def close_circle(values: NDArray) -> NDArray:
    """Append the first direction to (directions, radii) values, to close the circle."""
    return np.vstack([values, values[:1]])


def name_axes(axes: NDArray) -> None:
    """Label the outer axes only."""
    for axis in axes[-1]:
        axis.set_xlabel(r"$\tau_1$ [mN m]", fontsize=8.5)
    for axis in axes[:, 0]:
        axis.set_ylabel(r"$\tau_2$ [mN m]", fontsize=8.5)
