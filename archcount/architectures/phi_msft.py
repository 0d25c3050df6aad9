"""Phi-1.5 and Phi-2 as first published: attention and MLP side by side; as a model, or as a numbered sequence."""

from __future__ import annotations

from ..blocks import embedding, fused_attention, layer_norm, linear, mlp
from ..config import Count, ModelConfig, Size
from ..dim import exact_div, round_up
from ..errors import ConfigValueError
from ..registry import architecture
from ..tree import Module, Role, module, repeat, stack


class PhiMsftConfig(ModelConfig):
    vocab_size: Size = 50304
    n_embd: Size = 1024
    n_layer: Count = 20
    n_head: Count = 16
    n_head_kv: Count | None = None
    n_inner: Size | None = None
    activation_function: str = "gelu_new"
    pad_vocab_size_multiple: Size = 64
    tie_word_embeddings: bool = False

    @property
    def rows(self) -> int:
        """Rows of the table: the class rounds the vocabulary up."""
        return round_up(self.vocab_size, self.pad_vocab_size_multiple)


@architecture("phi-msft", config=PhiMsftConfig)
def phi_msft(config: PhiMsftConfig) -> Module:
    transformer = module(embd=table(config), h=repeat(config.n_layer, block(config)))
    return module(transformer=transformer, lm_head=None if is_bare(config) else head(config))


@architecture("mixformer-sequential", config=PhiMsftConfig)
def mixformer_sequential(config: PhiMsftConfig) -> Module:
    last = [] if is_bare(config) else [head(config)]
    return module(layers=stack([table(config), *[block(config)] * config.n_layer, *last]))


def is_bare(config: PhiMsftConfig) -> bool:
    """Whether the class has no head.

    Raises ConfigValueError: a class that is neither bare nor a language model, or a tied head, which none was.
    """
    if config.tie_word_embeddings:
        raise ConfigValueError("tie_word_embeddings is true: the published class ties nothing")
    name = config.class_name
    if name and not name.endswith(("ForCausalLM", "Model")):
        raise ConfigValueError(f"architectures is {name!r}: its head is not known; give [] for the language model")
    return name.endswith("Model")


def table(config: PhiMsftConfig) -> Module:
    return module(wte=embedding(config.rows, config.n_embd))


def block(config: PhiMsftConfig) -> Module:
    width, heads = config.n_embd, config.n_head
    mixer = fused_attention(
        width,
        heads=heads,
        kv_heads=config.n_head_kv or heads,
        head_dim=exact_div(width, heads),
        bias=True,
        positions="RoPE",
        names=("Wqkv", "out_proj"),
    )
    inner = config.n_inner or 4 * width
    return module(
        None,
        "parallel",
        ln=layer_norm(width),
        mixer=mixer,
        mlp=mlp(width, inner, activation=config.activation_function),
    )


def head(config: PhiMsftConfig) -> Module:
    """The last norm and the head in one module."""
    return module(ln=layer_norm(config.n_embd), linear=linear(config.n_embd, config.rows, bias=True, role=Role.HEAD))
