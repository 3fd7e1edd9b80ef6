"""Vectors of four numbers: one source of arithmetic serves one state or four at a time, by vector instructions.

A vector behaves like a float in compiled code: + - * /, `sqrt`, `abs`, `min`, `max` and the helpers below take it, and
a float beside a vector counts four times. Branches on its value are not possible; `where_positive` takes their place.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typeconv import Conversion
from numba.extending import intrinsic, lower_builtin, lower_cast, models, overload, register_model, type_callable
from numpy.typing import NDArray

from serpenoid.kernels import interpreted
from serpenoid.kernels.arrays import build_array, read_array
from serpenoid.kernels.interpreted import intrinsic_or

WIDTH = 4
REGISTER = ir.VectorType(ir.DoubleType(), WIDTH)


class Vector(types.Type):
    """Numba's type of a vector."""

    def __init__(self) -> None:
        super().__init__(name="vector")

    def unify(self, typing_context: Any, other: Any) -> Vector | None:
        return self if isinstance(other, types.Number) else None

    def can_convert_from(self, typing_context: Any, other: Any) -> Any:
        return Conversion.safe if isinstance(other, types.Number) else None


VECTOR = Vector()


@register_model(Vector)
class VectorModel(models.PrimitiveModel):
    """A vector register."""

    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, REGISTER)


@lower_cast(types.Number, VECTOR)
def cast_number(context, builder, from_type, to_type, value):
    return broadcast(builder, context.cast(builder, value, from_type, types.float64))


def broadcast(builder: Any, value: Any) -> Any:
    """A vector with the same number four times."""
    single = builder.insert_element(ir.Constant(REGISTER, ir.Undefined), value, ir.Constant(ir.IntType(32), 0))
    order = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH)
    return builder.shuffle_vector(single, ir.Constant(REGISTER, ir.Undefined), order)


def arithmetic(function: Any, instruction: str, operands: int) -> None:
    """Let an operator of Python work on vectors, and on a vector and a number."""

    @type_callable(function)
    def typed(context):
        def result(*args):
            fits = len(args) == operands and all(isinstance(arg, (Vector, types.Number)) for arg in args)
            return VECTOR(*[VECTOR] * operands) if fits and VECTOR in args else None

        return result

    @lower_builtin(function, *[VECTOR] * operands)
    def lower(context, builder, sig, args):
        return getattr(builder, instruction)(*args)


for functions, name in (
    ((operator.add, operator.iadd), "fadd"),
    ((operator.sub, operator.isub), "fsub"),
    ((operator.mul, operator.imul), "fmul"),
    ((operator.truediv, operator.itruediv), "fdiv"),
):
    for each in functions:
        arithmetic(each, name, 2)
arithmetic(operator.neg, "fneg", 1)


def unary(name: str, python: Any) -> Any:
    """An LLVM function of a float or a vector as a function of compiled code."""

    def typed(typing_context: Any, value: Any) -> Any:
        def build(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            kind = args[0].type
            suffix = f"v{WIDTH}f64" if kind == REGISTER else "f64"
            function = cgutils.get_or_insert_function(
                builder.module, ir.FunctionType(kind, [kind]), f"llvm.{name}.{suffix}"
            )
            return builder.call(function, args)

        result = VECTOR if value is VECTOR else types.float64
        return result(result), build

    return intrinsic_or(python)(typed)


square_root, absolute, floor = unary("sqrt", np.sqrt), unary("fabs", np.abs), unary("floor", np.floor)


@intrinsic_or(interpreted.where_positive)
def where_positive(typing_context, value, yes, no):
    """`yes` if value > 0 else `no`, of floats or slot by slot of vectors, without a branch."""

    def generate(context, builder, sig, args):
        return builder.select(builder.fcmp_ordered(">", args[0], ir.Constant(args[0].type, zero)), args[1], args[2])

    kind, zero = (VECTOR, [0.0] * WIDTH) if value is VECTOR else (types.float64, 0.0)
    return kind(kind, kind, kind), generate


@overload(math.sqrt, inline="always")
def _sqrt(value):
    return (lambda value: square_root(value)) if value is VECTOR else None


@overload(abs, inline="always")
def _abs(value):
    return (lambda value: absolute(value)) if value is VECTOR else None


def chosen(relation: str) -> Any:
    """The first of two vectors in the slots where it stands in a relation to the second, else the second."""

    def build(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.select(builder.fcmp_ordered(relation, *args), *args)

    return intrinsic(lambda typing_context, first, second: (VECTOR(VECTOR, VECTOR), build))


pack_max, pack_min = chosen(">"), chosen("<")


@overload(max, inline="always")
def _max(first, second):
    return (lambda first, second: pack_max(first, second)) if VECTOR in (first, second) else None


@overload(min, inline="always")
def _min(first, second):
    return (lambda first, second: pack_min(first, second)) if VECTOR in (first, second) else None


def vector_view(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """The array of vectors over the memory of an array of floats (.., 4)."""
    source = read_array(context, builder, kind, value)
    shape = cgutils.unpack_tuple(builder, source.shape)[:-1]
    size = context.get_constant(types.intp, 8 * WIDTH)
    strides = [size]
    for length in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], length))
    data = builder.bitcast(source.data, REGISTER.as_pointer())
    return build_array(context, builder, vector_type(kind), data, shape, strides)


def vector_type(kind: Any) -> Any:
    """What a record's type becomes when its arrays are seen as arrays of vectors."""
    if isinstance(kind, types.Array) and kind.dtype is types.float64:
        return types.Array(VECTOR, kind.ndim - 1, "C", aligned=False)
    if isinstance(kind, types.NamedTuple):
        return types.NamedTuple([vector_type(part) for part in kind], kind.instance_class)
    return kind.vectors() if hasattr(kind, "vectors") else kind


def convert(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """A record with its arrays seen as arrays of vectors, record by record."""
    if isinstance(kind, types.Array) and kind.dtype is types.float64:
        return vector_view(context, builder, kind, value)
    if not isinstance(kind, types.NamedTuple):
        return value
    parts = [convert(context, builder, part, builder.extract_value(value, i)) for i, part in enumerate(kind)]
    return context.make_tuple(builder, vector_type(kind), parts)


@intrinsic
def vectors(typing_context, record):
    """A record (or an array) whose float arrays end in an axis of four, with vectors in place of that axis."""

    def generate(context, builder, sig, args):
        return convert(context, builder, sig.args[0], args[0])

    return vector_type(record)(record), generate


def address(context: Any, builder: Any, kind: Any, array: Any, row: Any, column: Any) -> Any:
    """Where four neighbours in a row of a matrix begin."""
    source = read_array(context, builder, kind, array)
    width = builder.extract_value(source.shape, 1)
    item = builder.gep(source.data, [builder.add(builder.mul(row, width), column)], inbounds=True)
    return builder.bitcast(item, REGISTER.as_pointer())


@intrinsic
def load(typing_context, matrix, row, column):
    """Four neighbours in a row of a matrix of floats as a vector."""

    def generate(context, builder, sig, args):
        return builder.load(address(context, builder, sig.args[0], *args), align=8)

    return VECTOR(matrix, types.intp, types.intp), generate


@intrinsic
def store(typing_context, matrix, row, column, value):
    """Write a vector to four neighbours in a row of a matrix of floats."""

    def generate(context, builder, sig, args):
        builder.store(args[3], address(context, builder, sig.args[0], *args[:3]), align=8)
        return context.get_dummy_value()

    return types.none(matrix, types.intp, types.intp, VECTOR), generate


@intrinsic
def transposed(typing_context, a, b, c, d):
    """Four vectors as the rows of a matrix; returns its columns."""

    def generate(context, builder, sig, args):
        def mixed(first, second, order):
            return builder.shuffle_vector(first, second, ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), order))

        even = [mixed(args[i], args[i + 1], [0, 4, 2, 6]) for i in (0, 2)]
        odd = [mixed(args[i], args[i + 1], [1, 5, 3, 7]) for i in (0, 2)]
        columns = [mixed(*pair, order) for order in ([0, 1, 4, 5], [2, 3, 6, 7]) for pair in (even, odd)]
        return context.make_tuple(builder, sig.return_type, columns)

    return types.UniTuple(VECTOR, WIDTH)(VECTOR, VECTOR, VECTOR, VECTOR), generate


def vectorised(record: Any) -> Any:
    """Zeros for `slots`: a record with the same arrays of floats, each with an axis of four at its end."""
    if isinstance(record, np.ndarray):
        return aligned((*record.shape, WIDTH)) if record.dtype == np.float64 else record
    if isinstance(record, tuple):
        return type(record)(*(vectorised(part) for part in record))
    return record


def aligned(shape: tuple[int, ...]) -> NDArray:
    """Zeros that begin on a line of the cache, as vector instructions like it."""
    size = math.prod(shape)
    memory = np.zeros(size + 8)
    start = -(memory.ctypes.data // 8) % 8
    return memory[start : start + size].reshape(shape)
