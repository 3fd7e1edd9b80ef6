"""Arrays on the stack: the compiler knows that they do not overlap, so loops over them become vector instructions."""

from __future__ import annotations

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array


@intrinsic
def stack_array(typing_context, size):
    """An uninitialised array (size,) of float64 that lives until the function that calls this returns.

    Call it in the kernel that uses the array, never in a helper: what a helper put there is gone when it returns.
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


@intrinsic
def part(typing_context, array, start):
    """The array from an element on, without a copy and without a check; its length is not kept.

    Inside a loop `part(a, k)[lane]` is plainly an element at a constant distance from the last one, where `a[k + lane]`
    might be a negative index that counts from the end, which no vector instruction can read.
    """

    def generate(context, builder, signature, arguments):
        whole = make_array(signature.args[0])(context, builder, arguments[0])
        data = builder.gep(whole.data, [arguments[1]], inbounds=True)
        array = make_array(signature.return_type)(context, builder)
        itemsize = context.get_constant(types.intp, 8)
        populate_array(array, data, whole.shape, whole.strides, itemsize, None, None)
        return array._getvalue()

    return types.Array(types.float64, 1, "C")(types.Array(types.float64, 1, "C"), types.intp), generate
