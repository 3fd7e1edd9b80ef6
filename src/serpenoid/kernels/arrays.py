"""Arrays as intrinsics see them: a struct of data, shape and strides."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core import cgutils


def read_array(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """Return the struct of an array, with fields `data`, `shape` and `strides`."""
    return cgutils.create_struct_proxy(kind)(context, builder, value)


def build_array(context: Any, builder: Any, kind: Any, data: Any, shape: list[Any], strides: list[Any]) -> Any:
    """Return an array over memory that nobody counts references to."""
    out = cgutils.create_struct_proxy(kind)(context, builder)
    out.data, out.shape, out.strides = data, cgutils.pack_array(builder, shape), cgutils.pack_array(builder, strides)
    out.itemsize = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
    out.nitems = context.get_constant(types.intp, 1)
    for length in shape:
        out.nitems = builder.mul(out.nitems, length)
    return out._getvalue()
