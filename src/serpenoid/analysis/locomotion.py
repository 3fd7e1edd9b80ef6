"""How a run gets on: displacement, speed with the sign of head first, slip."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from serpenoid.analysis.bodies import rotations
from serpenoid.analysis.window import mean, samples
from serpenoid.trajectory import Trajectory


def head_first(run: Trajectory, start: float | None = None, end: float | None = None) -> NDArray:
    """The unit vector from tail to head, averaged over links and time.

    x of a link runs from head to tail, except on a robot whose link 0 is its tail.
    """
    chosen = samples(run, start, end)
    pose = run["link_pose"] if "link_pose" in run else run["base_pose"][:, None]
    sign = 1.0 if run.labels.get("link", ("head",))[0] == "tail" else -1.0
    forward = sign * rotations(pose[chosen][..., 3:])[..., 0]
    mean_forward = mean(forward.mean(axis=1), run.times[chosen])
    length = float(np.linalg.norm(mean_forward))
    return mean_forward / length if length > 0.0 else mean_forward


def displacement(run: Trajectory, start: float | None = None, end: float | None = None) -> NDArray:
    """From where the centre of mass was to where it is [m], (3,)."""
    track = run["center_of_mass"][samples(run, start, end)]
    return track[-1] - track[0]


def speed(run: Trajectory, start: float | None = None, end: float | None = None) -> float:
    """Mean speed of the centre of mass along the body, positive head first [m/s].

    Displacement over the stretch, projected on its mean head-first direction, divided by its time.
    """
    chosen = samples(run, start, end)
    duration = float(run.times[chosen][-1] - run.times[chosen][0])
    return float(displacement(run, start, end) @ head_first(run, start, end)) / duration


def slip(run: Trajectory, start: float | None = None, end: float | None = None) -> NDArray:
    """Share of each link's way that goes across its own axis: mean |v_across| / mean |v|, (links,).

    0 on rails, 1 sideways; 0 for a link that does not move. Velocities are differences of the sampled poses.
    """
    chosen = samples(run, start, end, least=3)
    times, pose = run.times[chosen], run["link_pose"][chosen]
    velocity = np.gradient(pose[..., :3], times, axis=0, edge_order=2)
    along = np.einsum("tli,tli->tl", velocity, rotations(pose[..., 3:])[..., 0])
    total = np.linalg.norm(velocity, axis=2)
    across = np.sqrt(np.maximum(total**2 - along**2, 0.0))
    way = mean(total, times)
    return np.divide(mean(across, times), way, out=np.zeros_like(way), where=way > 0.0)
