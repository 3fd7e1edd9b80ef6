"""SIMD vectors: one arithmetic source for one, four or sixteen states at a time.

A vector behaves like a float in compiled code: + - * /, `sqrt`, `abs`, `min`, `max` and the helpers below accept it. A
float combined with a vector applies to every slot. Code cannot branch on a vector's value; use `where_positive`
instead. Planners use width four, batches sixteen: several registers of independent work hide the latency of each
operation.
"""

from __future__ import annotations

import inspect
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.core.typeconv import Conversion
from numba.extending import intrinsic, lower_builtin, lower_cast, models, register_model, type_callable
from numpy.typing import NDArray

from serpenoid.kernels.arrays import build_array, read_array
from serpenoid.kernels.interpreted import intrinsic_or

WIDTH = 4
WIDE = 16


class Vector(types.Type):
    """Numba type of a vector."""

    def __init__(self, width: int) -> None:
        super().__init__(name=f"vector{width}")
        self.width = width

    @property
    def register(self) -> ir.VectorType:
        return ir.VectorType(ir.DoubleType(), self.width)

    def unify(self, typing_context: Any, other: Any) -> Vector | None:
        return self if isinstance(other, types.Number) else None

    def can_convert_from(self, typing_context: Any, other: Any) -> Any:
        return Conversion.safe if isinstance(other, types.Number) else None


VECTOR, WIDE_VECTOR = Vector(WIDTH), Vector(WIDE)
REGISTER = VECTOR.register


@register_model(Vector)
class VectorModel(models.PrimitiveModel):
    """Data model of a vector: SIMD registers."""

    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, kind.register)


@lower_cast(types.Number, Vector)
def cast_number(context, builder, from_type, to_type, value):
    return broadcast(builder, to_type, context.cast(builder, value, from_type, types.float64))


def broadcast(builder: Any, kind: Vector, value: Any) -> Any:
    """Return a vector with the same number in every slot."""
    nothing = ir.Constant(kind.register, ir.Undefined)
    single = builder.insert_element(nothing, value, ir.Constant(ir.IntType(32), 0))
    order = ir.Constant(ir.VectorType(ir.IntType(32), kind.width), [0] * kind.width)
    return builder.shuffle_vector(single, nothing, order)


def accept_vectors(function: Any, operands: int, build: Callable[..., Any], numbers: bool = False) -> None:
    """Make a function accept vectors, mixed with numbers, in compiled code.

    `build(builder, *values)` generates its code. With `numbers` it also accepts numbers alone, as floats.
    """

    @type_callable(function)
    def typed(context):
        def result(*args):
            kinds = {arg for arg in args if isinstance(arg, Vector)} or ({types.float64} if numbers else set())
            fits = all(isinstance(arg, (Vector, types.Number)) for arg in args)
            return (kind := kinds.pop())(*[kind] * operands) if fits and len(kinds) == 1 else None

        names = [inspect.Parameter(f"operand{i}", inspect.Parameter.POSITIONAL_ONLY) for i in range(operands)]
        result.__signature__ = inspect.Signature(names)  # type: ignore[attr-defined]
        return result

    def lower(context, builder, sig, args):
        return build(builder, *args)

    for kind in (Vector, types.float64) if numbers else (Vector,):
        lower_builtin(function, *[kind] * operands)(lower)


def instruction(name: str) -> Callable[..., Any]:
    """Return a builder of one LLVM instruction."""
    return lambda builder, *values: getattr(builder, name)(*values)


def call(name: str) -> Callable[..., Any]:
    """Return a builder of a call to an LLVM intrinsic of a float or a vector."""

    def build(builder: Any, value: Any) -> Any:
        kind = value.type
        suffix = f"v{kind.count}f64" if isinstance(kind, ir.VectorType) else "f64"
        function = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(kind, [kind]), f"llvm.{name}.{suffix}"
        )
        return builder.call(function, [value])

    return build


def select(relation: str) -> Callable[..., Any]:
    """Return a builder that selects the first of two vectors where it has a relation to the second, else the second."""
    return lambda builder, first, second: builder.select(builder.fcmp_ordered(relation, first, second), first, second)


def select_positive(builder: Any, value: Any, yes: Any, no: Any) -> Any:
    """Build `where_positive`."""
    zero = ir.Constant(value.type, [0.0] * value.type.count if isinstance(value.type, ir.VectorType) else 0.0)
    return builder.select(builder.fcmp_ordered(">", value, zero), yes, no)


def square_root(value: Any) -> Any:
    """Return the square root of a float or a vector. With the JIT off, vectors are arrays, which math.sqrt rejects."""
    return np.sqrt(value)


def floor(value: Any) -> Any:
    """Return the largest integer not above a float, or each slot of a vector, as a float."""
    return np.floor(value)


def larger(first: Any, second: Any) -> Any:
    """Return the larger of two floats, or of two vectors per slot. With the JIT off, `max` rejects vectors."""
    return np.maximum(first, second)


def smaller(first: Any, second: Any) -> Any:
    """Return the smaller of two floats, or of two vectors per slot."""
    return np.minimum(first, second)


def where_positive(value: Any, yes: Any, no: Any) -> Any:
    """Return `yes` if value > 0, else `no`, for floats or per slot of vectors, without a branch."""
    return np.where(value > 0.0, yes, no)[()]


for functions, name in (
    ((operator.add, operator.iadd), "fadd"),
    ((operator.sub, operator.isub), "fsub"),
    ((operator.mul, operator.imul), "fmul"),
    ((operator.truediv, operator.itruediv), "fdiv"),
):
    for each in functions:
        accept_vectors(each, 2, instruction(name))
accept_vectors(operator.neg, 1, instruction("fneg"))
accept_vectors(math.sqrt, 1, call("sqrt"))
accept_vectors(math.exp, 1, call("exp"))
accept_vectors(abs, 1, call("fabs"))
accept_vectors(max, 2, select(">"))
accept_vectors(min, 2, select("<"))
accept_vectors(square_root, 1, call("sqrt"), numbers=True)
accept_vectors(floor, 1, call("floor"), numbers=True)
accept_vectors(larger, 2, select(">"), numbers=True)
accept_vectors(smaller, 2, select("<"), numbers=True)
accept_vectors(where_positive, 3, select_positive, numbers=True)


@intrinsic_or(lambda value: value)
def shared(typing_context, value):
    """Return the number that all slots of a vector share; floats are returned unchanged."""

    def generate(context, builder, sig, args):
        wide = isinstance(sig.args[0], Vector)
        return builder.extract_element(args[0], ir.Constant(ir.IntType(32), 0)) if wide else args[0]

    return types.float64(value), generate


def vector_view(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """Return the array of vectors over the memory of an array of floats (.., 4)."""
    source = read_array(context, builder, kind, value)
    shape = cgutils.unpack_tuple(builder, source.shape)[:-1]
    data = builder.bitcast(source.data, REGISTER.as_pointer())
    return build_array(context, builder, vector_type(kind), data, shape)


def vector_type(kind: Any) -> Any:
    """Return the type of a record whose arrays are viewed as arrays of vectors.

    Arrays of other types are rejected: the view would release them a second time.
    """
    if isinstance(kind, types.Array):
        if kind.dtype is not types.float64:
            raise TypingError(f"{kind} in a record that is seen as vectors: must be an array of float64")
        return types.Array(VECTOR, kind.ndim - 1, "C", aligned=False)
    if isinstance(kind, types.NamedTuple):
        return types.NamedTuple([vector_type(part) for part in kind], kind.instance_class)
    return kind.vectors() if hasattr(kind, "vectors") else kind


def convert(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """Return a record whose arrays are viewed as arrays of vectors, recursively."""
    if isinstance(kind, types.Array):
        return vector_view(context, builder, kind, value)
    if not isinstance(kind, types.NamedTuple):
        return value
    parts = [convert(context, builder, part, builder.extract_value(value, i)) for i, part in enumerate(kind)]
    return context.make_tuple(builder, vector_type(kind), parts)


@intrinsic
def vectors(typing_context, record):
    """View a record (or an array) whose float arrays end in an axis of four as vectors along that axis."""

    def generate(context, builder, sig, args):
        return convert(context, builder, sig.args[0], args[0])

    return vector_type(record)(record), generate


def address(context: Any, builder: Any, kind: Any, array: Any, row: Any, column: Any, vector: Vector) -> Any:
    """Return the address of the neighbours in a row of a matrix that form a vector."""
    source = read_array(context, builder, kind, array)
    width = builder.extract_value(source.shape, 1)
    item = builder.gep(source.data, [builder.add(builder.mul(row, width), column)], inbounds=True)
    return builder.bitcast(item, vector.register.as_pointer())


@intrinsic
def load(typing_context, matrix, row, column):
    """Return four neighbours in a row of a matrix of floats as a vector."""

    def generate(context, builder, sig, args):
        return builder.load(address(context, builder, sig.args[0], *args, VECTOR), align=8)

    return VECTOR(matrix, types.intp, types.intp), generate


@intrinsic
def store(typing_context, matrix, row, column, value):
    """Write a vector to neighbours in a row of a matrix of floats; a number is written as a vector of four."""
    kind = value if isinstance(value, Vector) else VECTOR

    def generate(context, builder, sig, args):
        builder.store(args[3], address(context, builder, sig.args[0], *args[:3], kind), align=8)
        return context.get_dummy_value()

    return types.none(matrix, types.intp, types.intp, kind), generate


@intrinsic
def transpose(typing_context, a, b, c, d):
    """Transpose the matrix whose rows are four vectors; return its columns."""

    def generate(context, builder, sig, args):
        def mixed(first, second, order):
            return builder.shuffle_vector(first, second, ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), order))

        even = [mixed(args[i], args[i + 1], [0, 4, 2, 6]) for i in (0, 2)]
        odd = [mixed(args[i], args[i + 1], [1, 5, 3, 7]) for i in (0, 2)]
        columns = [mixed(*pair, order) for order in ([0, 1, 4, 5], [2, 3, 6, 7]) for pair in (even, odd)]
        return context.make_tuple(builder, sig.return_type, columns)

    return types.UniTuple(VECTOR, WIDTH)(VECTOR, VECTOR, VECTOR, VECTOR), generate


def vectorise_record(record: Any) -> Any:
    """Return zeros for `vectors`: a record with the same float arrays, each with a trailing axis of four."""
    if isinstance(record, np.ndarray):
        return allocate_aligned((*record.shape, WIDTH))
    if isinstance(record, tuple):
        return type(record)(*(vectorise_record(part) for part in record))
    return record


def allocate_aligned(shape: tuple[int, ...]) -> NDArray:
    """Return zeros aligned to a cache line, for vector instructions."""
    size = math.prod(shape)
    memory = np.zeros(size + 8)
    start = -(memory.ctypes.data // 8) % 8
    return memory[start : start + size].reshape(shape)
