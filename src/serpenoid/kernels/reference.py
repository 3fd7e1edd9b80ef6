"""Records passed to kernels by reference: one address instead of every number of every array.

numba passes and copies a record as one value. A planner's record has a thousand numbers, and each call, copy or read of
a field then costs a thousand instructions to compile. `by_reference` writes those numbers into memory once; a kernel
reads only the fields that it needs. The record and its arrays must not be replaced afterwards; their contents may
change.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import config, typeof, types
from numba.core.typing.templates import AttributeTemplate  # the base class that infer_getattr asks for
from numba.extending import (
    NativeValue,
    infer_getattr,
    intrinsic,
    lower_getattr_generic,
    models,
    register_model,
    typeof_impl,
    unbox,
)

from serpenoid.kernels.arrays import build_array
from serpenoid.kernels.simd import vector_type

SLOT = ir.IntType(64)


class Reference(types.Type):
    """Type of a reference to a record; with `wide`, its float arrays (.., 4) are viewed as arrays of vectors."""

    def __init__(self, record: Any, wide: bool = False) -> None:
        self.record, self.wide = record, wide
        super().__init__(name=f"reference({record}, {wide})")

    @property
    def instance_class(self) -> type:
        """Class of the record."""
        return self.record.instance_class

    def vectors(self) -> Reference:
        """Return the type of the same record viewed as vectors."""
        return Reference(self.record, True)

    def field(self, name: str) -> Any:
        """Return the type of a field; None for other names."""
        if name not in self.record.fields:
            return None
        kind = self.record[self.record.fields.index(name)]
        if isinstance(kind, types.NamedTuple):
            return Reference(kind, self.wide)
        return vector_type(kind) if self.wide else kind


@register_model(Reference)
class ReferenceModel(models.PrimitiveModel):
    """Data model of a reference: an address."""

    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, SLOT.as_pointer())


class Referred:
    """Record with its numbers in memory, in the layout that `Reference` reads."""

    def __init__(self, record: Any) -> None:
        self.record, self.kind = record, Reference(typeof(record))
        self.numbers = np.array(numbers_of(record), dtype=np.int64)
        self.address = self.numbers.ctypes.data


def by_reference(record: Any) -> Any:
    """Return a record that kernels read by reference."""
    return record if config.DISABLE_JIT else Referred(record)


def numbers_of(part: Any) -> list[int]:
    """Return the numbers of a record: address, shape and strides of arrays, bits of scalars."""
    if isinstance(part, np.ndarray):
        return [part.ctypes.data, *part.shape, *part.strides]
    if isinstance(part, tuple):
        return [number for each in part for number in numbers_of(each)]
    return [int(part)] if isinstance(part, (bool, int)) else np.array([part]).view(np.int64).tolist()


def size_of(kind: Any) -> int:
    """Return the count of numbers in a value of a type."""
    if isinstance(kind, types.BaseTuple):
        return sum(size_of(part) for part in kind)
    return 1 + 2 * kind.ndim if isinstance(kind, types.Array) else 1


@typeof_impl.register(Referred)
def type_of_referred(value: Any, context: Any) -> Any:
    return value.kind


@unbox(Reference)
def unbox_reference(kind, value, c):
    number = c.pyapi.object_getattr_string(value, "address")
    address = c.pyapi.long_as_longlong(number)
    c.pyapi.decref(number)
    return NativeValue(c.builder.inttoptr(address, SLOT.as_pointer()))


@infer_getattr
class ReferenceFields(AttributeTemplate):
    """Types of the fields of a reference."""

    key = Reference

    def generic_resolve(self, reference: Any, name: str) -> Any:
        return reference.field(name)


@lower_getattr_generic(Reference)
def read_field(context, builder, kind, value, name):
    index = kind.record.fields.index(name)
    first = sum(size_of(part) for part in list(kind.record)[:index])
    return read_value(context, builder, kind.record[index], kind.field(name), item(builder, value, first))


def read_value(context: Any, builder: Any, stored: Any, kind: Any, begin: Any) -> Any:
    """Return a value of type `kind` from the numbers of a `stored` one; `kind` may view it as vectors."""
    if isinstance(kind, Reference):
        return begin
    if isinstance(kind, types.Array):
        return read_array(context, builder, stored, kind, begin)
    if isinstance(kind, types.BaseTuple):
        places = [item(builder, begin, sum(map(size_of, list(stored)[:i]))) for i in range(len(stored))]
        parts = [read_value(context, builder, *each) for each in zip(stored, kind, places)]
        return context.make_tuple(builder, kind, parts)
    if isinstance(kind, types.Float):
        return constant_load(builder, builder.bitcast(begin, ir.DoubleType().as_pointer()))
    number = constant_load(builder, begin)
    return builder.trunc(number, context.get_value_type(kind)) if isinstance(kind, types.Boolean) else number


def item(builder: Any, begin: Any, index: int) -> Any:
    """Return the address `index` numbers after another."""
    return builder.gep(begin, [ir.Constant(SLOT, index)], inbounds=True)


def read_array(context: Any, builder: Any, stored: Any, kind: Any, begin: Any) -> Any:
    """Return an array from its address, shape and strides; a last axis of four becomes a vector."""
    numbers = [constant_load(builder, item(builder, begin, i)) for i in range(1 + 2 * stored.ndim)]
    shape, strides = numbers[1 : 1 + kind.ndim], numbers[1 + stored.ndim : 1 + stored.ndim + kind.ndim]
    data = builder.inttoptr(numbers[0], context.get_data_type(kind.dtype).as_pointer())
    return build_array(context, builder, kind, data, shape, strides)


def constant_load(builder: Any, place: Any) -> Any:
    """Load a number that no kernel changes, so that loops need not reload it."""
    value = builder.load(place)
    value.set_metadata("invariant.load", builder.module.add_metadata([]))
    return value


@intrinsic
def record_at(typing_context, reference, address):
    """Return the record at an address as one value; `reference` is any reference to a record of the same type."""

    def generate(context, builder, signature, values):
        kind = signature.args[0].record
        return read_value(context, builder, kind, kind, builder.inttoptr(values[1], SLOT.as_pointer()))

    return reference.record(reference, types.int64), generate
