"""Kinetic energy of links by their definition."""

import numpy as np


def kinetic_energy(motion, bodies):
    """sum_b (m_b |v_b|^2 + w_b . I_b w_b) / 2 [J], (time,)."""
    local = np.einsum("tlji,tlj->tli", motion.rotation, motion.spin)
    turning = np.einsum("tli,lij,tlj->t", local, bodies.inertia, local)
    return 0.5 * (np.einsum("l,tli,tli->t", bodies.mass, motion.velocity, motion.velocity) + turning)
