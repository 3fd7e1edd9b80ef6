"""Compiled shape functions: the angle of a joint and its derivatives from the parameters at its position.

memory[at.value + p] is parameter p at the joint, memory[at.integral + p] its integral from s = 0 to the joint. The
derivatives of the angle by them are written to at.by_value and at.by_integral, which must be zero before. Waves
implement all built-in gaits; a user's shape function is called by its address.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types

from serpenoid.kernels import interpreted
from serpenoid.kernels.compile import inner
from serpenoid.kernels.interpreted import intrinsic_or
from serpenoid.kernels.stack import address
from serpenoid.kernels.trigonometry import sine_cosine


@inner
def wave_angle(basis, joint, s, memory, at):
    """Return theta = phi + scale f A sin(I - Omega + lead + turn), I = integral of omega from 0 to s: (4.6), corrected.

    The factor f = 1 - front (1 - s / middle)+ - rear (s / middle - 1)+ tapers one half of the body. With omega = k A =
    R and scale 1 / k the wave is the helix (4.17), with a second plane sidewinding (4.20).
    """
    row = basis.row[joint]
    amplitude, wave, clock = basis.amplitude[row], basis.wave[row], basis.clock[row]
    turn, offset, front, rear = basis.turn[row], basis.offset[row], basis.front_taper[row], basis.rear_taper[row]
    ahead, behind = max(0.0, 1.0 - s / basis.middle), max(0.0, s / basis.middle - 1.0)
    factor = 1.0
    if front >= 0:
        factor -= ahead * memory[at.value + front]
    if rear >= 0:
        factor -= behind * memory[at.value + rear]
    phase = memory[at.integral + wave] - memory[at.value + clock] + basis.lead[row]
    if turn >= 0:
        phase += memory[at.value + turn]
    bent = basis.scale[row] * memory[at.value + amplitude]
    sine, cosine = sine_cosine(phase)
    slope = factor * bent * cosine
    memory[at.by_value + amplitude] += basis.scale[row] * factor * sine
    memory[at.by_integral + wave] += slope
    memory[at.by_value + clock] -= slope
    if turn >= 0:
        memory[at.by_value + turn] += slope
    if front >= 0:
        memory[at.by_value + front] -= ahead * bent * sine
    if rear >= 0:
        memory[at.by_value + rear] -= behind * bent * sine
    angle = factor * bent * sine
    if offset >= 0:
        memory[at.by_value + offset] += 1.0
        angle += memory[at.value + offset]
    return angle


@intrinsic_or(interpreted.call_shape)
def call_shape(typing, address, numbers, s, lateral, value, integral, by_value, by_integral):
    """Call the compiled function at an address; arrays are addresses too, so records depend on no user class."""

    def build(context, builder, signature, arguments):
        word, number = ir.IntType(64), ir.DoubleType()
        kind = ir.FunctionType(number, [word, number, *[word] * 5])
        return builder.call(builder.inttoptr(arguments[0], kind.as_pointer()), arguments[1:])

    return types.float64(types.int64, types.int64, types.float64, *[types.int64] * 5), build


@inner
def shape_angle(law, joint, memory, at):
    """Return the angle of a joint and write its derivatives; see the module."""
    s = law.place[joint]
    if law.own == 0:
        return wave_angle(law.basis, joint, s, memory, at)
    start = address(memory)
    return call_shape(
        law.own, law.numbers.ctypes.data, s, law.lateral[joint], start + 8 * at.value, start + 8 * at.integral,
        start + 8 * at.by_value, start + 8 * at.by_integral,
    )  # fmt: skip
