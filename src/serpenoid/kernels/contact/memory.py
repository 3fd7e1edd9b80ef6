"""Calls of foreign functions by address, and numbers read from foreign memory."""

from __future__ import annotations

import ctypes

from llvmlite import ir
from numba import types

from serpenoid.kernels import interpreted
from serpenoid.kernels.interpreted import intrinsic_or

INT, LONG, DOUBLE = ir.IntType(32), ir.IntType(64), ir.DoubleType()


@intrinsic_or(interpreted.call)
def call(typing, address, model, data):
    """Call `void f(model*, data*)` at an address; all three are integers."""

    def generate(context, builder, signature, values):
        function = ir.FunctionType(ir.VoidType(), [LONG, LONG])
        builder.call(builder.inttoptr(values[0], function.as_pointer()), values[1:])
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), generate


@intrinsic_or(interpreted.call_numbered)
def call_numbered(typing, address, model, data, number, out):
    """Call `void f(model*, data*, int number, double* out)` at an address; all are integers."""

    def generate(context, builder, signature, values):
        function = ir.FunctionType(ir.VoidType(), [LONG, LONG, INT, LONG])
        pointer, model, data, number, out = values
        number = builder.trunc(number, INT)
        builder.call(builder.inttoptr(pointer, function.as_pointer()), [model, data, number, out])
        return context.get_dummy_value()

    return types.void(*[types.int64] * 5), generate


@intrinsic_or(interpreted.write_int)
def write_int(typing, address, value):
    """Write a 32-bit integer at an address; both are integers."""

    def generate(context, builder, signature, values):
        builder.store(builder.trunc(values[1], INT), builder.inttoptr(values[0], INT.as_pointer()))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), generate


def reader(kind, result, name, python):
    """Return an intrinsic that reads one number at an address."""

    def read(typing, address):
        def generate(context, builder, signature, values):
            value = builder.load(builder.inttoptr(values[0], kind.as_pointer()))
            return builder.sext(value, LONG) if kind is INT else value

        return result(types.int64), generate

    read.__name__ = read.__qualname__ = name
    return intrinsic_or(interpreted.reader(python))(read)


read_int = reader(INT, types.int64, "read_int", ctypes.c_int)
read_long = reader(LONG, types.int64, "read_long", ctypes.c_int64)
read_double = reader(DOUBLE, types.float64, "read_double", ctypes.c_double)
