"""Arrays on the stack: the compiler knows that they do not overlap, so that loops over them become vector instructions."""

from __future__ import annotations

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array


@intrinsic
def stack_array(typing_context, size):
    """An uninitialised array (size,) of float64 that lives until the function that calls this returns.

    Call it in the kernel that uses the array, never in a helper: what a helper put on the stack is gone when it returns.
    """

    def generate(context, builder, signature, arguments):
        data = builder.alloca(ir.DoubleType(), size=arguments[0])
        data.align = 64
        array = make_array(signature.return_type)(context, builder)
        itemsize = context.get_constant(types.intp, 8)
        populate_array(array, data, cgutils.pack_array(builder, [arguments[0]]),
                       cgutils.pack_array(builder, [itemsize]), itemsize, None, None)  # fmt: skip
        return array._getvalue()

    return types.Array(types.float64, 1, "C")(types.intp), generate
