"""Which matrices are modules of their own in transformers' code: those are what its quantizers replace."""

from __future__ import annotations

from dataclasses import dataclass

from ..marks import MTP
from ..rows import Row
from ..tree import Role, Use
from .entry import Config
from .method import Taken
from .selection import LEFT_ALONE, is_candidate
from .siblings import Siblings

BARE_ROUTERS = frozenset({"gate", "router", "layer"})  # of transformers 5: parameters, where 4 had modules


@dataclass(frozen=True, slots=True)
class Code:
    """Where transformers' code of a model_type differs from that of most.

    `has_module_router`: its router is a module in version 5 as well; `has_bare_router`: it was a parameter in 4, though
    nothing corrects its scores; `has_own_linear`: its layers have a Linear of their own, which 5 passes over and 4 did
    not; `keeps_wo`: `wo` stays in 32 bits.
    """

    has_module_router: bool = False
    has_bare_router: bool = False
    has_own_linear: bool = False
    keeps_wo: bool = False


USUAL = Code()
CODE = {
    **dict.fromkeys(("afmoe", "jetmoe"), Code(has_module_router=True)),
    **dict.fromkeys(("deepseek_v2", "gpt_oss"), Code(has_bare_router=True)),
    "falcon": Code(has_own_linear=True),
    **dict.fromkeys(("t5", "mt5", "umt5", "udop", "pop2piano"), Code(keeps_wo=True)),
}
"""By model_type, of transformers 4.57 and 5.24."""


@dataclass(frozen=True, slots=True)
class Writer:
    """The major version of transformers that the config names, 0 where it names none, and its code of the model's type.

    From 5 on the experts of every mixture, and most routers, are parameters and no modules, whatever the names in the
    file; a config that 5 wrote says so.
    """

    version: int
    code: Code

    @classmethod
    def of(cls, entry: Config) -> Writer:
        """From a quantization entry, to which `quantization_of` has added both."""
        major = str(entry.get("transformers_version") or "").partition(".")[0]
        return cls(int(major) if major.isdecimal() else 0, CODE.get(str(entry.get("model_type") or ""), USUAL))

    def has_module(self, row: Row, siblings: Siblings) -> bool:
        """Is a router's matrix the weight of a module?"""
        name = str(row.path[-2])
        if self.version >= 5:
            return name not in BARE_ROUTERS or self.code.has_module_router
        return not siblings.is_bare(row) and not self.code.has_bare_router


def linears(
    entry: Config,
    listed: object,
    *,
    takes_experts: bool = False,
    takes_routers: bool = True,
    takes_transposed: bool = False,
) -> Taken:
    """What a quantizer takes that goes through a model's modules; `listed` are those it was told to pass over.

    Without a list it passes over the head, or the last module. `takes_experts` where it has a module for a layer's
    experts together; not `takes_routers` where its files have them as they are, listed or not; `takes_transposed` where
    it knows GPT-2's projections, which are no Linear.
    """
    writer, passes_heads = Writer.of(entry), listed is None

    def is_taken(row: Row, siblings: Siblings) -> bool:
        if row.section == MTP or len(row.tensor.shape) == 3:
            return is_candidate(row) and (takes_experts or row.routed is None)
        if not _is_module(row, siblings) or _is_kept(row, writer):
            return False
        if not takes_transposed and siblings.is_projection(row):
            return False
        if row.role is Role.ROUTER:
            return takes_routers and writer.has_module(row, siblings)
        if row.routed is not None:
            return takes_experts or writer.version < 5
        return not (passes_heads and (_is_output_table(row, siblings) or _is_last(row, siblings, writer)))

    return is_taken


def _is_module(row: Row, siblings: Siblings) -> bool:
    """The weight of a Linear, but of none within torch's own attention, which is asked for its weight alone."""
    tensor = row.tensor
    is_weight = tensor.use is Use.MATMUL and tensor.storage.is_in_file and row.path[-1] == "weight"
    return is_weight and len(tensor.shape) == 2 and (*row.path[:-2], "in_proj_weight") not in siblings.rows


def _is_kept(row: Row, writer: Writer) -> bool:
    name, code = row.path[-2], writer.code
    is_own = code.has_own_linear and writer.version >= 5 and row.role is not Role.HEAD
    return is_own or name == LEFT_ALONE or (name == "wo" and code.keeps_wo)


def _is_output_table(row: Row, siblings: Siblings) -> bool:
    """The head over the vocabulary: as many outputs as a table has rows."""
    if row.role is not Role.HEAD:
        return False
    tables = (other.tensor for other in siblings.rows.values() if other.tensor.use is Use.LOOKUP)
    return any(table.shape[0] == row.tensor.shape[0] for table in tables)


def _is_last(row: Row, siblings: Siblings, writer: Writer) -> bool:
    """The last parameter's module; version 5 asks for the weight's own name, so a bias after it hides it."""
    return siblings.last == row.path or (writer.version < 5 and siblings.last[:-1] == row.path[:-1])
