"""How records become machine code: by the field that is read, not whole.

numba loads, stores and clears a variable as one value. A planner's record holds thousands of numbers, so that reading
one array of it would write thousands of instructions, most of which the optimiser then takes out again: half the time
of a compilation. Here a field is loaded where it stands, and what counts no references is not cleared. This reaches
into numba, whose tested range pyproject.toml names.
"""

from __future__ import annotations

from typing import Any

from numba.core import cgutils, ir, types
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.ir_utils import build_definitions, replace_vars
from numba.core.lowering import Lower
from numba.core.postproc import PostProcessor
from numba.core.typed_passes import BaseNativeLowering


class RecordLower(Lower):
    """Reads fields of records where they stand."""

    def pre_lower(self) -> None:
        super().pre_lower()
        self.places: dict[str, Any] = {}  # variables of a block that are a field of another: where that is
        self.once = {name for name, found in build_definitions(self.blocks).items() if len(found) == 1}

    def pre_block(self, block: Any) -> None:
        super().pre_block(block)
        self.places = {}

    def counts(self, kind: Any) -> bool:
        """Whether references to values of a type are counted."""
        return self.context.enable_nrt and self.context.data_model_manager[kind].contains_nrt_meminfo()

    def lower_assign(self, ty: Any, inst: Any) -> Any:
        place = self.place_of_field(ty, inst.value)
        if place is None:
            return super().lower_assign(ty, inst)
        if self.may_stay(ty, inst):
            self.places[inst.target.name] = place
            return None
        value = self.builder.load(place)
        self.incref(ty, value)
        return value

    def may_stay(self, ty: Any, inst: Any) -> bool:
        """Whether a record within a record is read where it stands: its field is asked for next, and nothing moves."""
        kept = inst.target.name in self._singly_assigned_vars and inst.value.value.name in self.once
        return kept and isinstance(ty, types.BaseNamedTuple) and not self.counts(ty)

    def place_of_field(self, ty: Any, value: Any) -> Any:
        """Where a field of a record in memory stands; None for all else."""
        if not isinstance(value, ir.Expr) or value.op != "getattr":
            return None
        name = value.value.name
        record = self.typeof(name)
        if not isinstance(record, types.BaseNamedTuple) or value.attr not in record.fields:
            return None
        index = record.fields.index(value.attr)
        if record[index] != ty:
            return None
        whole = self.places.get(name)
        if whole is None and name in self.varmap:
            whole = self.varmap[name]
        return None if whole is None else cgutils.gep_inbounds(self.builder, whole, 0, index)

    def storevar(self, value: Any, name: str, argidx: int | None = None) -> None:
        if value is None:  # a place that `lower_assign` has noted
            return
        kind = self.typeof(name)
        if name in self._singly_assigned_vars or argidx is not None or self.counts(kind):
            super().storevar(value, name, argidx)
            return
        self._alloca_var(name, kind)
        self.builder.store(value, self.getvar(name))

    def loadvar(self, name: str) -> Any:
        return self.builder.load(self.places[name]) if name in self.places else super().loadvar(name)

    def delvar(self, name: str) -> None:
        if self.counts(self.typeof(name)):
            super().delvar(name)

    def alloca(self, name: str, type: Any) -> Any:
        if not isinstance(type, types.BaseNamedTuple) or self.counts(type):
            return super().alloca(name, type)
        with self.builder.goto_entry_block():
            return self.builder.alloca(self.context.get_value_type(type), name=name)


@register_pass(mutates_CFG=True, analysis_only=False)
class RecordLowering(BaseNativeLowering):
    """numba's lowering with the class above."""

    _name = "record_lowering"

    @property
    def lowering_class(self) -> type[Lower]:
        return RecordLower


@register_pass(mutates_CFG=False, analysis_only=False)
class OneName(FunctionPass):
    """One name for a value that was handed on: laying a function into its caller copies every argument.

    Only values with one definition, which is no choice between two ways here: such a definition comes before every use.
    What such a choice takes in keeps its name: numba makes the choice where that name is set.
    """

    _name = "one_name"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        blocks = state.func_ir.blocks
        once = {name: found[0] for name, found in build_definitions(blocks).items() if len(found) == 1}
        kept = {var.name for value in once.values() for var in taken_in(value)}
        names = {
            name: value for name, value in once.items()
            if isinstance(value, ir.Var) and value.name in once and not is_choice(once[value.name]) and name not in kept
        }  # fmt: skip
        final = {name: last(value, names) for name, value in names.items()}
        for block in blocks.values():
            block.body = [s for s in block.body if not (isinstance(s, ir.Assign) and s.target.name in final)]
        replace_vars(blocks, final)
        state.func_ir._definitions = build_definitions(blocks)
        PostProcessor(state.func_ir).run(emit_dels=False)
        return bool(final)


def is_choice(definition: Any) -> bool:
    """Whether a definition is a choice between the values of several ways."""
    return isinstance(definition, ir.Expr) and definition.op == "phi"


def taken_in(definition: Any) -> list[Any]:
    """The variables that a choice is between; none of other definitions."""
    found = definition.incoming_values if is_choice(definition) else []
    return [var for var in found if var is not ir.UNDEFINED]


def last(value: Any, names: dict[str, Any]) -> Any:
    """The variable that a chain of copies began with."""
    while value.name in names:
        value = names[value.name]
    return value
