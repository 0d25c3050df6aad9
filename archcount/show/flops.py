"""What a token costs, part by part, with the rule of thumb beside it and why the two differ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

from ..marks import MAIN
from .document import identity
from .images import image_document, image_notes
from .outline import WORDS
from .page import Cell, Column, Line, Note, Page, Table
from .units import flops as readable
from .words import title

if TYPE_CHECKING:
    from ..costs.flops import Attention, Flops
    from ..model import Model

COLUMNS = (Column("part", "part"), Column("flops", "FLOPs a token", "count"), Column("remark", "remark", aside=True))
SUMS = (
    Column("sum", "sum"),
    Column("flops", "FLOPs", "count"),
    Column("size", ""),
    Column("remark", "remark", aside=True),
)
ACTIVE = (Column("convention", "active parameters"), Column("count", "count", "count"), Column("remark", "remark"))
FIGURES = ("context", "source", "matmul_per_token", "attention_per_token", "forward_per_token",
           "forward_per_token_causal", "prefill", "prefill_unmasked", "per_source_token", "encoder", "per_patch",
           "per_sequence", "seeing", "training_per_token", "training_per_token_causal", "six_n")  # fmt: skip
TRAINED = {
    "none": "3 × forward: the backward pass costs two",
    "selective": "3 × forward, and attention's pairs again",
    "full": "4 × forward: each layer again",
}
RULE = "two FLOPs a weight: it multiplies and adds; a lookup is none, a head tied to its table multiplies all the same"
ABSORBED = "MLA: keys and values as rebuilt from the latent row; the absorbed form multiplies at the latent width"
GAP = (Column("cause", "training, a token"), Column("flops", "FLOPs", "count"))


def flops_page(model: Model, flops: Flops) -> Page:
    """Weights and attention for a token; sums for a sequence and in training; 6N and the gap to it."""
    page = f"{title(model)}, {flops.context:,} tokens"
    tables = (
        Table(COLUMNS, tuple(_parts(flops))),
        Table(SUMS, tuple(_sums(flops))),
        Table(GAP, tuple(_gap(flops))),
        Table(ACTIVE, tuple(_active(model))),
    )
    return Page(page, (*tables, *_notes(flops)), lambda: document(model, flops))


def _active(model: Model) -> Iterator[Line]:
    """The three figures that are published as active parameters."""
    totals = model.totals
    yield Line(("all", totals.active, "less the experts not chosen"))
    yield Line(("without input embedding", totals.active_without_input_embedding, "less tables only looked up"))
    yield Line(("without both embeddings", totals.active_without_embeddings, "less every table and the head"))


def _parts(flops: Flops) -> Iterator[Line]:
    for line in flops.matmuls:
        once = "" if line.per == "token" else f", for each {line.per}"
        label = WORDS.get(line.role, line.role.value) + ("" if line.section == "main" else f" ({line.section})")
        yield Line((f"{label} weights{once}", line.flops, f"2 × {line.elements:,} elements multiplied"))
    for each in flops.attention:
        seen = each.at(flops.context, flops.source) // each.per_pair if each.per_pair else 0
        within = f" ({each.section})" if each.section == "encoder" else ""
        if each.section in ("", "decoder", "encoder"):
            tokens = flops.source if within else seen
            widths = f"({each.attends.key_width} + {each.attends.value_width})"
            why = f"2 × {each.layers} layers × {each.attends.heads} heads × {widths} × {tokens:,} tokens"
            yield Line((f"attention, {each.kind}{within}", each.per_pair * tokens, why))


def _sums(flops: Flops) -> Iterator[Line]:
    yield _sum(
        "forward, last token", flops.forward_per_token, "decoding; it sees the whole context, no causal halving", True
    )
    yield _sum(
        "forward, mean token", flops.forward_per_token_causal, "with the causal mask: a token sees what is before it"
    )
    yield _sum("prefill", flops.prefill, "the whole sequence, masked pairs left out, logits for each token", True)
    yield _sum("prefill, unmasked", flops.prefill_unmasked, "where kernels compute masked pairs too")
    if flops.per_source_token:
        yield _sum("source, a token", flops.per_source_token, "encoder, and keys and values of cross-attention")
        yield _sum("source", flops.encoder, f"{flops.source:,} tokens, each sees all")
    if flops.per_patch:
        yield _sum("vision, a patch", flops.per_patch, "the tower's weights")
    if flops.images and flops.each_image:
        each = flops.each_image
        yield _sum("an image, the tower", each.tower, "its weights, for each patch and what stands beside them")
        yield _sum("an image, attention", each.attention, "among its patches, each sees all or its window")
        yield _sum("an image, projector", each.projector, "to the language model's width")
        yield _sum("images", flops.seeing, f"{flops.images.count:,} of them, once; part of prefill")
    if flops.per_sequence:
        yield _sum("once a sequence", flops.per_sequence, "a pooler")
    words = TRAINED[flops.recompute.value]
    yield _sum("training, last token", flops.training_per_token, words, True)
    yield _sum("training, mean token", flops.training_per_token_causal, "the same with the causal mask")


def _sum(label: str, count: float, remark: str, is_total: bool = False) -> Line:
    return Line((label, _whole(count), readable(count), remark), rank="group" if is_total else "plain")


def _whole(count: float) -> Cell:
    return int(count) if float(count).is_integer() else round(count, 1)


def _gap(flops: Flops) -> Iterator[Line]:
    yield Line(("6N", flops.six_n), rank="group")
    for cause, count in flops.gap:
        yield Line((cause, count), depth=1)
    yield Line(("attention", 3 * flops.attention_per_token), depth=1)
    again = flops.training_per_token - 3 * flops.forward_per_token
    if again:
        yield Line(("computed again", again), depth=1)
    yield Line(("training", flops.training_per_token), rank="total")


def _notes(flops: Flops) -> Iterator[Note]:
    if flops.images:
        yield from image_notes(flops.images, flops.context)
    yield Note(RULE)
    if any(each.kind.startswith("MLA") for each in flops.attention):
        yield Note(ABSORBED)
    if flops.left_out:
        yield Note(f"left out: {'; '.join(flops.left_out)}")


def document(model: Model, flops: Flops) -> dict[str, object]:
    """Every figure of the page."""
    return {
        **identity(model),
        **{name: getattr(flops, name) for name in FIGURES},
        "recompute": flops.recompute.value,
        "active": model.totals.active,
        "active_without_input_embedding": model.totals.active_without_input_embedding,
        "active_without_embeddings": model.totals.active_without_embeddings,
        "weights": [{**asdict(line), "role": line.role.value, "flops": line.flops} for line in flops.matmuls],
        "attention": [_attention(each, flops) for each in flops.attention],
        "images": image_document(flops.images),
        "each_image": asdict(flops.each_image) if flops.each_image else None,
        "gap": dict(flops.gap),
        "left_out": list(flops.left_out),
    }


def _attention(each: Attention, flops: Flops) -> dict[str, object]:
    return {
        "section": each.section or MAIN,
        "kind": each.kind,
        "layers": each.layers,
        "flops_per_pair": each.per_pair,
        "flops": each.at(flops.context, flops.source),
    }
