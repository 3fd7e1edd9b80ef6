"""Naive reference of a push over time: Moreau's time stepping with everything differentiated numerically."""

import numpy as np
from naive_pushing import naive_box, naive_push


def link_points(chain, q):
    """Front joints of the links and the tail's end, (n + 1, 2); q = (x, y of the front, heading, joints)."""
    angles = np.cumsum(q[2:])
    steps = chain.length[:, None] * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return q[:2] + np.vstack([np.zeros(2), np.cumsum(steps, axis=0)])


def gap_of(chain, q, center, radius, link):
    """Distance between a link, as a segment, and the object."""
    ends = link_points(chain, q)
    a, b = ends[link], ends[link + 1]
    along = np.clip((center - a) @ (b - a) / ((b - a) @ (b - a)), 0.0, 1.0)
    return np.linalg.norm(center - a - along * (b - a)) - radius


def mass_matrix(chain, q):
    return naive_push(chain, q[3:], q[2], [(0, 0.0, 1.0, False)], 1.0)[0]


def velocity_force(chain, q, v, step=1e-6):
    """(dM/dt) v - grad (v^T M v) / 2 by central differences."""
    rate = (mass_matrix(chain, q + step * v) - mass_matrix(chain, q - step * v)) / (2 * step)
    gradient = np.zeros(q.size)
    for i in range(2, q.size):
        shift = np.zeros(q.size)
        shift[i] = step
        change = mass_matrix(chain, q + shift) - mass_matrix(chain, q - shift)
        gradient[i] = v @ change @ v / (4 * step)
    return rate @ v - gradient


def gradient_of(function, x, step=1e-6):
    return np.array([(function(x + d) - function(x - d)) / (2 * step) for d in step * np.eye(x.size)])


def naive_run(chain, q, center, radius, object_mass, wheels, limit, torque, step, steps):
    """Positions of chain and object after `steps` steps from rest. wheels: (link, position) each, limit [N]."""
    links = chain.mass.size
    v, body = np.zeros(q.size), np.zeros(2)
    push = np.concatenate([np.zeros(3), torque])
    for _ in range(steps):
        inverse = np.linalg.inv(mass_matrix(chain, q))
        rows = [(link, position, 1.0, False) for link, position in wheels]
        A = [np.append(-row, [0.0, 0.0]) for row in naive_push(chain, q[3:], q[2], rows, 1.0)[2]] if wheels else []
        lower, upper, stretch = [-limit * step] * len(wheels), [limit * step] * len(wheels), [0.0] * len(wheels)
        for link in range(links):
            gap = gap_of(chain, q, center, radius, link)
            if gap < 0.01:
                both = np.append(q, center)
                A.append(gradient_of(lambda z, k=link: gap_of(chain, z[:-2], z[-2:], radius, k), both))
                lower, upper, stretch = lower + [0.0], upper + [np.inf], stretch + [gap / step]
        free = np.append(v + step * inverse @ (push - velocity_force(chain, q, v)), body)
        if A:
            A = np.array(A)
            weight = np.zeros((q.size + 2, q.size + 2))
            weight[:-2, :-2] = inverse
            weight[-2:, -2:] = np.eye(2) / object_mass
            impulse = naive_box(A @ weight @ A.T, A @ free + stretch, np.array(lower), np.array(upper))
            free = free + weight @ A.T @ impulse
        v, body = free[:-2], free[-2:]
        q, center = q + step * v, center + step * body
    return q, center
