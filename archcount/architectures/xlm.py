"""XLM and FlauBERT: BERT's shape with its parts in four lists, an entry a layer, and a table of languages if any."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import attention, embedding, layer_norm, lm_head, mlp, position_embedding
from ..config import Count, ModelConfig, Size
from ..dim import exact_div
from ..encoder_heads import score, unknown_class
from ..errors import ConfigValueError
from ..registry import architecture
from ..tree import Module, module, repeat


class XlmConfig(ModelConfig):
    vocab_size: Size = 30145
    emb_dim: Size = 2048
    n_layers: Count = 12
    n_heads: Count = 16
    n_langs: Count = 1
    use_lang_emb: bool = True
    max_position_embeddings: Size = 512
    gelu_activation: bool = True
    causal: bool = False
    asm: bool = False
    tie_word_embeddings: bool = True
    also_spelled: ClassVar[dict[str, str]] = {
        "hidden_size": "emb_dim",
        "n_words": "vocab_size",
        "num_attention_heads": "n_heads",
        "num_hidden_layers": "n_layers",
    }


@architecture("xlm", "flaubert", config=XlmConfig)
def xlm(config: XlmConfig) -> Module:
    width, vocab, layers, name = config.emb_dim, config.vocab_size, config.n_layers, config.class_name
    if config.asm:
        raise ConfigValueError("asm is true: the clusters of an adaptive softmax are not counted")
    attend = attention(
        width,
        heads=config.n_heads,
        head_dim=exact_div(width, config.n_heads),
        bias=True,
        causal=config.causal,
        positions="learned",
        names=("q_lin", "k_lin", "v_lin", "out_lin"),
    )
    ffn = mlp(width, 4 * width, activation="gelu" if config.gelu_activation else "relu", names=("lin1", "lin2"))
    model = module(
        position_embeddings=position_embedding(config.max_position_embeddings, width),
        lang_embeddings=embedding(config.n_langs, width) if config.use_lang_emb and config.n_langs > 1 else None,
        embeddings=embedding(vocab, width),
        layer_norm_emb=layer_norm(width),
        attentions=repeat(layers, attend),
        layer_norm1=repeat(layers, layer_norm(width)),
        ffns=repeat(layers, ffn),
        layer_norm2=repeat(layers, layer_norm(width)),
    )
    if not name or name.endswith("LMHeadModel"):
        table = "transformer.embeddings.weight" if config.tie_word_embeddings else None
        return module(transformer=model, pred_layer=module(proj=lm_head(width, vocab, tied_to=table, bias=True)))
    return with_score(config, model, width)


def with_score(config: ModelConfig, model: Module, width: int) -> Module:
    """`model` bare, or under `transformer` with a score for each token or for an answer's two ends.

    Raises ConfigValueError: a class of another head.
    """
    name = config.class_name
    if name.endswith("Model"):
        return model
    if name.endswith("ForTokenClassification"):
        return module(transformer=model, classifier=score(width, config.labels))
    if name.endswith("ForQuestionAnsweringSimple"):
        return module(transformer=model, qa_outputs=score(width, config.labels))
    raise unknown_class(config)
