"""How compiled code is put together: what is laid into other code is optimised and made machine code once, in the end.

numba optimises every function by itself, with all that it calls, and makes machine code of it, then again as a part
of each caller. Here only what Python calls is treated so. The rest is kept as it was lowered and linked into its
callers: half the time of a compilation. This reaches into numba, whose tested range pyproject.toml names.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from functools import cached_property
from typing import Any

import llvmlite.binding as llvm
from numba.core import caching, codegen, compiler, sigutils
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import NativeLowering
from numba.core.untyped_passes import ReconstructSSA

from serpenoid.kernels.lowering import OneName, RecordLowering


class EntryLibrary(codegen.JITCodeLibrary):
    """Code of a function that Python may call; compiled callers link its part instead."""

    @classmethod
    def of_kept(cls, generator: Any, name: str, kept: Any) -> EntryLibrary:
        """As it was when it was cached."""
        library = cls(generator, name)
        code, symbols = kept
        library.enable_object_caching()
        library._set_compiled_object(code)
        library._finalize_final_module()
        generator._engine._defined_symbols.update(symbols)
        return library

    def serialize_using_object_code(self) -> Any:
        """Machine code and what it defines; numba keeps the bitcode beside it, and reads it at every start."""
        self._ensure_finalized()
        places = [*self._final_module.functions, *self._final_module.global_variables]
        symbols = {place.name for place in places if not place.is_declaration}
        return self.name, "entry", (self._get_compiled_object(), symbols)

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout
        for function in ll_module.functions:
            if not function.is_declaration:  # numba sets up a pass manager for these as well
                manager, builder = self._codegen._function_pass_manager()
                manager.run(function, builder)


class _NoEnvironments:
    """In place of the code generator where a library is registered: code that is never run needs no environment."""

    def set_env(self, name: str, environment: Any) -> None: ...


class PartLibrary(EntryLibrary):
    """Code of a function that only compiled code calls: linked into its callers, never run by itself."""

    @property
    def codegen(self) -> Any:
        return _NoEnvironments()

    @classmethod
    def of_kept(cls, generator: Any, name: str, kept: Any) -> PartLibrary:
        library = cls(generator, name)
        library._final_module = library._shared_module = llvm.parse_bitcode(kept)
        library._finalized = True
        return library

    def _optimize_final_module(self) -> None: ...

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """None: there is no machine code."""
        self._ensure_finalized()
        return 0

    def serialize_using_object_code(self) -> Any:
        self._ensure_finalized()
        return self.name, "part", self._get_module_for_linking().as_bitcode()


class EntryCompiler(compiler.Compiler):
    """numba's compiler with a library class of ours."""

    library_class: type[EntryLibrary] = EntryLibrary

    def define_pipelines(self) -> list[Any]:
        pipeline = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
        pipeline.add_pass_after(OneName, ReconstructSSA)
        pipeline.passes = [(RecordLowering if p is NativeLowering else p, why) for p, why in pipeline.passes]
        pipeline.finalize()
        return [pipeline]

    def compile_extra(self, func: Any) -> Any:
        if self.state.library is None:
            self.state.library = self.library_class(self.state.targetctx.codegen(), func.__qualname__)
            self.state.library.enable_object_caching()
        return super().compile_extra(func)


class PartCompiler(EntryCompiler):
    """Compiles functions for compiled callers alone."""

    library_class = PartLibrary


# What a function for compiled callers alone is compiled with; it has no entry for Python or C.
PART: dict[str, Any] = {"pipeline_class": PartCompiler, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


class EntryCacheImpl(caching.CompileResultCacheImpl):
    """What was cached comes back in a library of ours."""

    library_class: type[EntryLibrary] = EntryLibrary

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        (name, _, kept), fndesc, env, signature, objectmode, lifted, annotation, reload_init, envs = payload
        library = self.library_class.of_kept(target_context.codegen(), name, kept)
        result = compiler.CompileResult(
            target_context=target_context,
            typing_context=target_context.typing_context,
            library=library,
            environment=env,
            entry_point=target_context.get_executable(library, fndesc, env),
            fndesc=fndesc,
            type_annotation=annotation,
            signature=signature,
            objectmode=objectmode,
            lifted=lifted,
            typing_error=None,
            call_helper=None,
            metadata=None,
            reload_init=reload_init,
            referenced_envs=envs,
        )
        for each in envs:
            library.codegen.set_env(each.env_name, each)
        return result


class PartCacheImpl(EntryCacheImpl):
    """Cached parts come back as parts."""

    library_class = PartLibrary


class OnceDispatcher(CPUDispatcher):
    """A function that one process compiles while others that need it wait; its cache is opened when it is asked for."""

    make_cache: Callable[[], Any]

    @cached_property
    def _cache(self) -> Any:
        return self.make_cache()

    def compile(self, sig: Any) -> Any:
        with global_compiler_lock:  # before the other lock, or two threads may wait for each other
            known = tuple(sigutils.normalize_signature(sig)[0]) in self.overloads
            with nullcontext() if known or not hasattr(self._cache, "alone") else self._cache.alone(sig):
                return super().compile(sig)


class PartDispatcher(OnceDispatcher):
    """A compiled function without an entry for Python: calling it from there would end the process."""

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        raise TypeError(f"{self.__name__}: inner kernels are for compiled code; Python may call its .py_func")


class EntryDispatcher(OnceDispatcher):
    """A compiled function with an entry for Python; compiled callers take its twin that has none."""

    make_part: Callable[[], PartDispatcher]

    @cached_property
    def part(self) -> PartDispatcher:
        """The twin, made when the first caller is compiled."""
        return self.make_part()

    def get_call_template(self, args: Any, kws: Any) -> Any:
        return self.part.get_call_template(args, kws)

    def get_overload(self, sig: Any) -> Any:
        return self.part.get_overload(sig)
