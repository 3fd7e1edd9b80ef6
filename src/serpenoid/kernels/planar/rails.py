"""Rails: a base of two sliders and a hinge, as MJCF models of planar robots have it.

A chain on rails integrates the position of the point of its head link that the rails carry, instead of its centre of
mass. RK4 at a coarse step depends on this choice. With lever_k = s_k - p for the head and s_k for other links:

    r_com = r + sum_k lever_k e_k,    v_com = v + sum_k lever_k w_k n_k
    a_com = a + sum_k lever_k (w_k' n_k - w_k^2 e_k)
"""

from __future__ import annotations

from serpenoid.kernels.compile import inner, kernel
from serpenoid.kernels.planar.chain import planar_work, set_angles


@inner
def move_base(model, work, state, share):
    """Move the base of a state from the rails' point to the centre of mass (share = 1) or back (-1), if on rails."""
    if model.lever.size == 0:
        return
    links = work.rate.size
    set_angles(work, state)
    for k in range(links):
        lever = share * model.lever[k]
        state[0] += lever * work.cosine[k]
        state[1] += lever * work.sine[k]
        state[links + 2] -= lever * work.rate[k] * work.sine[k]
        state[links + 3] += lever * work.rate[k] * work.cosine[k]


@inner
def base_accelerations(model, work, out, half):
    """Convert accelerations of the centre of mass in out[half:] to those of the rails' point, from work.right."""
    for k in range(model.lever.size):
        lever, turn = model.lever[k], work.right[k]
        out[half] += lever * (turn * work.sine[k] + work.square[k] * work.cosine[k])
        out[half + 1] -= lever * (turn * work.cosine[k] - work.square[k] * work.sine[k])


@kernel
def moved_base(model, state, share):
    """Return a copy of a state after `move_base`."""
    out = state.copy()
    move_base(model, planar_work(model.shift.size), out, share)
    return out
