"""What llama.cpp's files call a tensor that Hugging Face's call otherwise, asked of the `gguf` package."""

from __future__ import annotations

from collections.abc import Callable

from .faults import GgufError, MissingExtraError


def gguf_names(architecture: str, layers: int) -> Callable[[str], str | None]:
    """From a name as a Hugging Face file has it to the name in a GGUF file of that `general.architecture`, or None.

    Raises MissingExtraError without the package, GgufError for an architecture that it does not know.
    """
    try:
        import gguf  # noqa: PLC0415 - an extra, and only this format needs it
    except ImportError as error:
        raise MissingExtraError("GGUF needs a package: pip install 'archcount[gguf]'") from error
    kinds = {name: kind for kind, name in gguf.MODEL_ARCH_NAMES.items()}
    if architecture not in kinds:
        mend = "pip install -U gguf, or install gguf-py of the llama.cpp that wrote the file"
        raise GgufError(f"GGUF architecture {architecture!r} is unknown to the gguf package: {mend}")
    blocks = dict(gguf.TensorNameMap.block_mappings_cfg)
    table = gguf.get_tensor_name_map(kinds[architecture], layers)
    gguf.TensorNameMap.block_mappings_cfg = blocks  # to which it added an architecture's own names, for all that follow

    def name_of(name: str) -> str | None:
        found: str | None = table.get_name(name, try_suffixes=(".weight", ".bias"))
        return found

    return name_of
