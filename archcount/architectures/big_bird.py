"""BigBird: BERT whose attention looks at blocks, with a pooler under every head but the question-answering one."""

from __future__ import annotations

from ..blocks import encoder_embeddings, layer_norm, linear
from ..config import Size
from ..encoder_heads import bert_head, encoder
from ..registry import architecture
from ..tree import Module, Role, module, repeat
from .bert import BertConfig, bert_layer


class BigBirdConfig(BertConfig):
    vocab_size: Size = 50358
    max_position_embeddings: Size = 4096
    hidden_act: str = "gelu_new"
    use_bias: bool = True


@architecture("big_bird", config=BigBirdConfig)
def big_bird(config: BigBirdConfig) -> Module:
    hidden, inner, vocab = config.hidden_size, config.intermediate_size, config.vocab_size
    positions, types = config.max_position_embeddings, config.type_vocab_size
    model = module(
        embeddings=encoder_embeddings(hidden, vocab=vocab, positions=positions, types=types),
        encoder=module(layer=repeat(config.num_hidden_layers, bert_layer(config, bias=config.use_bias))),
    )
    if config.class_name.endswith("ForQuestionAnswering"):
        answer = module(
            Role.HEAD,
            intermediate=module(dense=linear(hidden, inner, bias=True)),
            output=module(dense=linear(inner, hidden, bias=True), LayerNorm=layer_norm(hidden)),
            qa_outputs=linear(hidden, config.labels, bias=True),
        )
        return module(bert=model, qa_classifier=answer)
    model = model.extend(pooler=linear(hidden, hidden, bias=True, role=Role.HEAD))
    table = "bert.embeddings.word_embeddings.weight" if config.tie_word_embeddings else None
    head = bert_head(hidden, vocab, table=table)
    return encoder(config, model, base="bert", hidden=hidden, language_head=head, deep_classifier=True)
