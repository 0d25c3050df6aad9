"""The layers of a model that predict further tokens."""

from collections.abc import Mapping

import archcount

Shapes = dict[str, tuple[int, ...]]


def ahead(config: Mapping[str, object]) -> Shapes:
    """The tensors of the section, an expert's left out."""
    tensors = archcount.load(config).tensors()
    return {
        tensor.name: tensor.shape for tensor in tensors if tensor.section == "mtp" and ".experts." not in tensor.name
    }
