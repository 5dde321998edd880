"""Kernels that compile several times faster than Numba's own `njit`, with the same machine code's speed.

Numba optimises every function together with all that it calls, and emits machine code for it, though most kernels are
only called by other kernels. Here a kernel has two forms:

* The **inner form** is LLVM IR alone, neither optimised nor emitted. Kernels call each other's inner forms. Integer
  arguments are widened to int64, so that one form serves callers with integers of all sizes and with constants.
* The **entry form** is what Python calls. It links the inner forms of the kernel and of all that it calls, adds the
  wrapper for Python, and only then is the whole optimised and machine code emitted.

Both are cached in the folder of the kernel's own package, an inner form as its own IR with the names of its callees.

This uses Numba's internals: `valley_core.jit` falls back to `njit` where they are not those that it was tested with.
"""

import contextlib
import weakref
from collections.abc import Iterator
from typing import Any

import numba.core.event as numba_event
from llvmlite import binding as llvm
from numba.core import compiler, sigutils, types, typing
from numba.core.codegen import JITCodeLibrary, RuntimeLinker
from numba.core.compiler_lock import global_compiler_lock
from numba.core.datamodel.models import OpaqueModel
from numba.core.datamodel.registry import register_default
from numba.core.environment import lookup_environment
from numba.core.imputils import lower_constant
from numba.core.registry import CPUDispatcher
from numba.core.runtime import rtsys
from numba.core.types.misc import unliteral

ENVIRONMENT_PREFIX = "_ZN08NumbaEnv"


class InnerLibrary(JITCodeLibrary):
    """The LLVM IR of one kernel, and which libraries of other kernels it calls."""

    def __init__(self, codegen: Any, name: str, kernel: "Kernel", args: tuple[Any, ...]) -> None:
        super().__init__(codegen, name)
        self.kernel = kernel
        self.args_of_kernel = args
        self.callees: list[InnerLibrary] = []
        self.symbol = ""
        self._shared_module: Any = None

    def _optimize_functions(self, module: Any) -> None:
        module.data_layout = self._codegen._data_layout  # and nothing else: the entry form is optimised as a whole

    def finalize(self) -> None:
        """Link what Numba itself provides; the kernels that are called stay apart."""
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            if isinstance(library, InnerLibrary):
                self.callees.append(library)
            elif library is not rtsys.library:
                self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalize_dynamic_globals()
        self._finalized = True

    def restore(self, bitcode: bytes, symbol: str, callees: "list[InnerLibrary]") -> None:
        """Make this library what another process has finalised."""
        self._final_module = llvm.parse_bitcode(bitcode)
        self.symbol = symbol
        self.callees = callees
        self._finalize_dynamic_globals()
        self._finalized = True

    def closure(self) -> "list[InnerLibrary]":
        """This library and all that it calls, itself or through others."""
        found = {self: None}
        waiting = [self]
        while waiting:
            for library in waiting.pop().callees:
                if library not in found:
                    found[library] = None
                    waiting.append(library)
        return list(found)

    def link_into(self, module: Any) -> None:
        """Add the closure and Numba's runtime to an LLVM module."""
        for library in self.closure():
            module.link_in(library._final_module, preserve=True)
        module.link_in(rtsys.library._get_module_for_linking(), preserve=True)
        # LLVM would call address 0.
        missing = [function.name for function in module.functions if function.is_declaration]
        missing = [name for name in missing if name.startswith("_ZN")]
        if missing:
            raise AssertionError(f"kernels that are called but not linked: {', '.join(missing)}")

    def _get_module_for_linking(self) -> Any:
        """The closure as one module, for functions compiled by Numba's own `njit` that call a kernel."""
        if self._shared_module is None:
            module = llvm.parse_assembly(str(self._codegen._create_empty_module(self.name)))
            self.link_into(module)
            for function in module.functions:
                if not function.is_declaration and function.linkage == llvm.Linkage.external:
                    function.linkage = "linkonce_odr"
            self._shared_module = module
        return self._shared_module


class EntryLibrary(JITCodeLibrary):
    """Machine code of a kernel and of all that it calls, with the wrapper that Python calls."""

    inner: InnerLibrary
    wrapper: str

    def finalize(self) -> None:
        """Link, optimise and emit."""
        self._codegen._check_llvm_bugs()
        self._raise_if_finalized()
        module = self._final_module
        self.inner.link_into(module)
        for library in self.inner.closure():
            self._reload_init.update(library._reload_init)
        # A function that calls itself through others is looked up by its name, and must be kept for that.
        prefix = RuntimeLinker.PREFIX
        recursive = [
            variable.name.removeprefix(prefix)
            for variable in module.global_variables
            if variable.name.startswith(prefix)
        ]
        for function in module.functions:
            if not function.is_declaration and function.name != self.wrapper:
                # Not "internal": the same name in a module of Numba's own `njit` would then be resolved to nothing.
                function.linkage = "weak_odr" if function.name in recursive else "linkonce_odr"
        if recursive:
            self._dynamic_globals.append(prefix)  # no other process can load it
        self._optimize_functions(module)
        self._optimize_final_module()
        module.verify()
        self._finalize_final_module()

    def restore(self, machine_code: bytes) -> None:
        """Load what another process has emitted."""
        self.enable_object_caching()
        self._set_compiled_object(machine_code)
        self._finalize_final_module()
        self._codegen._engine._defined_symbols.add(self.wrapper)


kernels: "weakref.WeakValueDictionary[tuple[str, str], Kernel]" = weakref.WeakValueDictionary()
"""All kernels that are cached, by module and name, to find the callees of an inner form that is loaded."""


class KernelType(types.Dispatcher):
    """The type of a kernel as a name that other kernels call.

    Numba would write the address of its dispatcher into the IR, which no other process could use then.
    """


register_default(KernelType)(OpaqueModel)


@lower_constant(KernelType)
def _lower_kernel(context: Any, builder: Any, kernel_type: Any, value: Any) -> Any:
    return context.get_dummy_value()


def widened(argument: Any) -> Any:
    """The type with which a kernel is compiled for an argument: int64 for all integers but uint64, and no constants."""
    argument = unliteral(argument)
    if isinstance(argument, types.Integer) and argument != types.uint64:
        return types.int64
    return argument


class Kernel(CPUDispatcher):
    """A compiled kernel, as Numba's dispatcher is: `overloads` are its entry forms."""

    def __init__(self, py_func: Any, *args: Any, **options: Any) -> None:
        super().__init__(py_func, *args, **options)
        self.inner_cache: Any = None
        self._inner: dict[tuple[Any, ...], Any] = {}
        self._type = KernelType(self)
        self.key = (py_func.__module__, py_func.__qualname__)

    @property
    def _numba_type_(self) -> KernelType:
        return self._type

    # Numba asks these two while it compiles a call of this kernel, first for its type, then for its code.

    def get_call_template(self, args: Any, kws: Any) -> tuple[Any, ...]:
        """The signature of the inner form that a call with arguments of these types calls."""
        pysig, args = self._compiler.fold_argument_types(args, kws)
        signature = self.inner_form(tuple(map(widened, args))).signature
        name = self.py_func.__name__
        template = typing.make_concrete_template(f"CallTemplate({name})", key=name, signatures=[signature])
        return template, pysig, args, {}

    def get_overload(self, sig: Any) -> Any:
        """What the target context knows the inner form by."""
        args, _ = sigutils.normalize_signature(sig)
        return self._inner[tuple(args)].library

    def inner_form(self, args: tuple[Any, ...]) -> Any:
        """The compile result of the inner form for arguments of these (widened) types."""
        with global_compiler_lock, self._compiling_counter:
            result = self._inner.get(args)
            if result is None:
                result = self.inner_cache and self.inner_cache.load_overload(args, self.targetctx)
                compiled = result is None
                if compiled:
                    with self._event(args):
                        result = self._compile_inner(args)
                self.targetctx.insert_user_function(result.library, result.fndesc, [result.library])
                self._inner[args] = result
                if compiled and self.inner_cache:
                    self.inner_cache.save_overload(args, result)
            return result

    def _compile_inner(self, args: tuple[Any, ...]) -> Any:
        flags = compiler.Flags()
        self.targetdescr.options.parse_as_flags(flags, self.targetoptions)
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        self.targetctx.refresh()
        library = InnerLibrary(self.targetctx.codegen(), self.py_func.__qualname__, self, args)
        result = compiler.compile_extra(
            self.typingctx,
            self.targetctx,
            self.py_func,
            args=args,
            return_type=None,
            flags=flags,
            locals=self.locals,
            library=library,
        )
        library._ensure_finalized()
        library.symbol = result.fndesc.mangled_name
        return result

    # Python calls this one when no entry form fits the arguments.

    def compile(self, sig: Any) -> Any:
        """The entry point for arguments of these types, compiled or loaded from the cache."""
        with global_compiler_lock:
            if not self._can_compile:
                raise RuntimeError("compilation disabled")
            args = tuple(map(widened, sigutils.normalize_signature(sig)[0]))
            if args not in self.overloads:
                result = self._cache.load_overload(args, self.targetctx)
                if result is not None:
                    self._cache_hits[args] += 1
                    self.add_overload(result)
                else:
                    self._cache_misses[args] += 1
                    inner = self.inner_form(args)
                    with self._event(args):
                        result = self._link_entry(inner)
                    self.add_overload(result)
                    self._cache.save_overload(args, result)
            return self.overloads[args].entry_point

    def _link_entry(self, inner: Any) -> Any:
        context, fndesc = self.targetctx, inner.fndesc
        library = EntryLibrary(context.codegen(), self.py_func.__qualname__)
        library.inner, library.wrapper = inner.library, fndesc.llvm_cpython_wrapper_name
        library.enable_object_caching()
        context.create_cpython_wrapper(library, fndesc, inner.environment, None, release_gil=True)
        library._ensure_finalized()
        environments = list(_environments(library._final_module))
        return entry_result(self, library, fndesc, inner.environment, inner.signature, environments)

    @contextlib.contextmanager
    def _event(self, args: tuple[Any, ...]) -> Iterator[None]:
        with numba_event.trigger_event("numba:compile", data={"dispatcher": self, "args": args, "return_type": None}):
            yield


def _environments(module: Any) -> Iterator[Any]:
    """What the functions in a module need of Python, for instance to raise an error."""
    for variable in module.global_variables:
        if variable.name.startswith(ENVIRONMENT_PREFIX):
            environment = lookup_environment(variable.name)
            if environment is not None:
                yield environment


def entry_result(
    kernel: Kernel, library: Any, fndesc: Any, environment: Any, signature: Any, environments: list[Any]
) -> Any:
    """A compile result with a pointer to the code of an entry form that has been emitted or loaded."""
    context = kernel.targetctx
    for other in environments:
        context.codegen().set_env(other.env_name, other)
    return compiler.compile_result(
        typing_context=kernel.typingctx,
        target_context=context,
        entry_point=context.get_executable(library, fndesc, environment),
        signature=signature,
        objectmode=False,
        lifted=(),
        fndesc=fndesc,
        library=library,
        environment=environment,
        reload_init=list(library._reload_init),
        referenced_envs=environments,
    )


# What is written to the cache, and back. `valley_core.jit` writes and reads the files.


def reduce_inner(result: Any) -> tuple[Any, ...]:
    """An inner form as what can be pickled."""
    library, fndesc = result.library, result.fndesc
    fndesc.typemap = fndesc.calltypes = None
    callees = [(callee.kernel.key, callee.args_of_kernel, callee.symbol) for callee in library.callees]
    bitcode = library._final_module.as_bitcode()
    return bitcode, callees, fndesc, result.environment, result.signature, list(library._reload_init)


def rebuild_inner(kernel: Kernel, args: tuple[Any, ...], payload: tuple[Any, ...]) -> Any:
    """The inner form that `reduce_inner` was given, or None where a callee is not what it was."""
    bitcode, names, fndesc, environment, signature, reload_init = payload
    callees = []
    for key, types_of_callee, symbol in names:
        if key not in kernels:
            return None
        callee = kernels[key].inner_form(types_of_callee).library
        if callee.symbol != symbol:  # compiled again, under a name that Numba numbers anew
            return None
        callees.append(callee)
    for function in reload_init:
        function()
    library = InnerLibrary(kernel.targetctx.codegen(), kernel.py_func.__qualname__, kernel, args)
    library._reload_init.update(reload_init)
    library.restore(bitcode, fndesc.mangled_name, callees)
    return compiler.compile_result(
        typing_context=kernel.typingctx,
        target_context=kernel.targetctx,
        signature=signature,
        objectmode=False,
        lifted=(),
        fndesc=fndesc,
        library=library,
        environment=environment,
        reload_init=reload_init,
    )


def reduce_entry(result: Any) -> tuple[Any, ...]:
    """An entry form as what can be pickled."""
    library, fndesc = result.library, result.fndesc
    fndesc.typemap = fndesc.calltypes = None
    environments = [environment for environment in result.referenced_envs if environment.can_cache()]
    code = library._get_compiled_object()
    return code, fndesc, result.environment, result.signature, result.reload_init, environments


def rebuild_entry(kernel: Kernel, args: tuple[Any, ...], payload: tuple[Any, ...]) -> Any:
    """The entry form that `reduce_entry` was given."""
    code, fndesc, environment, signature, reload_init, environments = payload
    for function in reload_init:
        function()
    library = EntryLibrary(kernel.targetctx.codegen(), kernel.py_func.__qualname__)
    library.wrapper = fndesc.llvm_cpython_wrapper_name
    library._reload_init.update(reload_init)
    library.restore(code)
    return entry_result(kernel, library, fndesc, environment, signature, environments)
