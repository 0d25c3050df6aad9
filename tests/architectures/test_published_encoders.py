"""Published totals and names of encoders: Nomic's and Alibaba's, and ESM-2; "Hub" is its count of their headers."""

import pytest

import archcount

Config = dict[str, object]

NOMIC: Config = {
    "model_type": "nomic_bert",
    "architectures": ["NomicBertModel"],
    "n_embd": 768,
    "n_inner": 3072,
    "n_layer": 12,
    "n_head": 12,
    "activation_function": "swiglu",
}
NOMIC_2: Config = {
    **NOMIC,
    "activation_function": "gelu",
    "vocab_size": 250048,
    "type_vocab_size": 1,
    "qkv_proj_bias": True,
    "mlp_fc1_bias": True,
    "mlp_fc2_bias": True,
    "num_experts": 8,
    "moe_every_n_layers": 2,
}
GTE: Config = {"model_type": "new", "architectures": ["NewModel"], "num_hidden_layers": 12}
GTE_LARGE: Config = {
    "hidden_size": 1024,
    "intermediate_size": 4096,
    "num_hidden_layers": 24,
    "num_attention_heads": 16,
    "type_vocab_size": 2,
}
ESM: Config = {
    "model_type": "esm",
    "architectures": ["EsmForMaskedLM"],
    "vocab_size": 33,
    "position_embedding_type": "rotary",
    "transformers_version": "4.25.0.dev0",
    "hidden_size": 320,
    "intermediate_size": 1280,
    "num_hidden_layers": 6,
    "num_attention_heads": 20,
}


@pytest.mark.parametrize(
    ("config", "stored"),
    [
        (NOMIC, 136_731_648),  # Hub, nomic-ai/nomic-embed-text-v1.5
        (NOMIC_2, 475_292_928),  # Hub, nomic-ai/nomic-embed-text-v2-moe
        ({**GTE, "type_vocab_size": 0}, 136_776_192),  # Hub, Alibaba-NLP/gte-base-en-v1.5
        (  # Hub, Alibaba-NLP/gte-large-en-v1.5
            {**GTE, **GTE_LARGE},
            434_139_136,
        ),
        (ESM, 7_840_794),  # Hub, facebook/esm2_t6_8M_UR50D
    ],
    ids=["nomic-embed-text-v1.5", "nomic-embed-text-v2-moe", "gte-base-en-v1.5", "gte-large-en-v1.5", "esm2_t6_8M"],
)
def test_encoders(config: Config, stored: int) -> None:
    assert archcount.load(config).totals.stored == stored


def test_the_positions_that_esm_2_stores_are_no_parameters() -> None:
    totals = archcount.load(ESM).totals
    assert totals.buffers == 1_026 * 320
    assert archcount.load({**ESM, "transformers_version": "5.0.0"}).totals.stored == totals.parameters


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        (
            NOMIC_2,
            {
                "emb_ln.weight": (768,),
                "encoder.layers.0.attn.Wqkv.bias": (2304,),
                "encoder.layers.0.mlp.fc1.weight": (3072, 768),
                "encoder.layers.1.mlp.experts.mlp.w1": (24576, 768),
                "encoder.layers.1.mlp.experts.bias": (768,),
                "encoder.layers.11.mlp.router.layer.weight": (8, 768),
            },
        ),
        (
            {**GTE, "architectures": ["NewForMaskedLM"]},
            {
                "new.encoder.layer.11.attention.qkv_proj.weight": (2304, 768),
                "new.encoder.layer.0.mlp.up_gate_proj.weight": (6144, 768),
                "new.encoder.layer.0.mlp_ln.bias": (768,),
                "lm_head.decoder.bias": (30528,),
            },
        ),
        (
            ESM,
            {
                "esm.encoder.layer.0.attention.LayerNorm.weight": (320,),
                "esm.contact_head.regression.weight": (1, 120),
                "esm.encoder.emb_layer_norm_after.bias": (320,),
            },
        ),
    ],
    ids=["nomic_bert", "new", "esm"],
)
def test_the_names_of_encoders(config: Config, expected: dict[str, tuple[int, ...]]) -> None:
    shapes = {tensor.name: tensor.shape for tensor in archcount.load(config).tensors()}
    assert {name: shapes[name] for name in expected} == expected


def test_an_mlp_with_one_bias_is_refused() -> None:
    message = r"^config: mlp_fc1_bias is False and mlp_fc2_bias is not: an MLP of that kind is not known here$"
    with pytest.raises(archcount.ArchcountError, match=message):
        archcount.load({**NOMIC, "mlp_fc2_bias": True})


def test_esmfold_is_refused() -> None:
    with pytest.raises(archcount.ArchcountError, match=r"^config: is_folding_model is true: ESMFold is not known here"):
        archcount.load({**ESM, "is_folding_model": True})
