"""Arrays in numba intrinsics: structs of data, shape and strides."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core import cgutils


def read_array(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """Return the struct of an array, with fields `data`, `shape` and `strides`."""
    return cgutils.create_struct_proxy(kind)(context, builder, value)


def build_array(
    context: Any, builder: Any, kind: Any, data: Any, shape: list[Any], strides: list[Any] | None = None
) -> Any:
    """Return an array over memory without a reference count; C-contiguous unless `strides` are given."""
    out = cgutils.create_struct_proxy(kind)(context, builder)
    out.itemsize = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
    strides = strides or contiguous(builder, shape, out.itemsize)
    out.data, out.shape, out.strides = data, cgutils.pack_array(builder, shape), cgutils.pack_array(builder, strides)
    out.nitems = context.get_constant(types.intp, 1)
    for length in shape:
        out.nitems = builder.mul(out.nitems, length)
    return out._getvalue()


def contiguous(builder: Any, shape: list[Any], itemsize: Any) -> list[Any]:
    """Return the strides of a C-contiguous array."""
    strides = [itemsize]
    for length in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], length))
    return strides
