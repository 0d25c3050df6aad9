"""A GGUF file's tensors: names, shapes in the order of safetensors, and types; read by the `gguf` package."""

from __future__ import annotations

from pathlib import Path

from .entries import Entry, Header
from .faults import GgufError, MissingExtraError

MAGIC = b"GGUF"
ARCHITECTURE, TOKENS = "general.architecture", "tokenizer.ggml.tokens"  # what is kept of the metadata


def read_gguf(path: Path) -> Header:
    """The tensors of a GGUF file; a dtype is GGML's own name ("Q4_K").

    Of the metadata the architecture is kept, and how many tokens the vocabulary has.

    Raises MissingExtraError without the package, GgufError for a file that it cannot read.
    """
    try:
        from gguf import GGUFReader  # noqa: PLC0415 - an extra, and only this format needs it
    except ImportError as error:
        raise MissingExtraError(f"{path}: GGUF needs a package: pip install 'archcount[gguf]'") from error
    try:
        reader = GGUFReader(path)
        architecture = reader.get_field(ARCHITECTURE)
        name = str(architecture.contents()) if architecture else ""
        tokens = reader.get_field(TOKENS)
    except (ValueError, LookupError, OverflowError, TypeError, OSError) as error:
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise GgufError(f"{path}: not a readable GGUF file ({reason}): download it again") from error
    entries = {}
    for tensor in reader.tensors:
        shape = tuple(int(size) for size in reversed(tensor.shape.tolist()))  # GGUF writes the fastest axis first
        begin = tensor.data_offset - reader.data_offset
        entries[tensor.name] = Entry(tensor.tensor_type.name, shape, (begin, begin + int(tensor.n_bytes)))
    metadata = {ARCHITECTURE: name} if name else {}
    if tokens is not None:
        metadata[TOKENS] = str(len(tokens.data))
    return Header(entries, metadata, int(reader.data_offset))


def is_of_adapter(header: Header) -> bool:
    """Is it a LoRA adapter's, as llama.cpp writes them: `blk.0.attn_q.weight.lora_a`?"""
    return any(name.endswith((".lora_a", ".lora_b")) for name in header.entries)
