"""Names and shapes of published families whose code lives in their repository, as their files have them."""

import pytest

import archcount

from .remote_configs import ARCTIC, DEEPSEEK_MOE, ELM, GLM_1, GLM_2, MINIMAX, MOLMO, PHI_2, sizes

Shapes = dict[str, tuple[int, ...]]


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        (
            {"model_type": "internlm"},
            {"model.layers.31.self_attn.o_proj.bias": (4096,), "model.layers.0.mlp.gate_proj.weight": (11008, 4096)},
        ),
        (
            {"model_type": "internlm2", "bias": False, "num_key_value_heads": 8},
            {
                "model.tok_embeddings.weight": (103168, 4096),
                "model.layers.0.attention.wqkv.weight": (6144, 4096),
                "model.layers.0.attention.wo.weight": (4096, 4096),
                "model.layers.0.feed_forward.w2.weight": (4096, 11008),
                "model.layers.0.ffn_norm.weight": (4096,),
                "output.weight": (103168, 4096),
            },
        ),
        ({"model_type": "Yi"}, {"model.layers.0.ln1.weight": (4096,), "model.layers.31.ln2.weight": (4096,)}),
        ({"model_type": "baichuan"}, {"model.layers.0.self_attn.W_pack.weight": (12288, 4096)}),
        (
            {"model_type": "qwen", **sizes(5120, 40, 40, 27392, 152064)},
            {
                "transformer.h.39.attn.c_attn.weight": (15360, 5120),
                "transformer.h.39.attn.c_attn.bias": (15360,),
                "transformer.h.39.mlp.w1.weight": (13696, 5120),
                "transformer.h.39.mlp.w2.weight": (13696, 5120),
                "transformer.h.39.mlp.c_proj.weight": (5120, 13696),
            },
        ),
        (
            GLM_1,
            {
                "transformer.word_embeddings.weight": (130528, 4096),
                "transformer.layers.27.attention.query_key_value.bias": (12288,),
                "transformer.layers.27.mlp.dense_h_to_4h.weight": (16384, 4096),
                "transformer.final_layernorm.bias": (4096,),
                "lm_head.weight": (130528, 4096),
            },
        ),
        (
            GLM_2,
            {
                "transformer.embedding.word_embeddings.weight": (65024, 4096),
                "transformer.rotary_pos_emb.inv_freq": (32,),
                "transformer.encoder.layers.27.self_attention.query_key_value.weight": (4608, 4096),
                "transformer.encoder.layers.27.self_attention.query_key_value.bias": (4608,),
                "transformer.encoder.layers.27.mlp.dense_h_to_4h.weight": (27392, 4096),
                "transformer.encoder.final_layernorm.weight": (4096,),
                "transformer.output_layer.weight": (65024, 4096),
            },
        ),
        (
            {**ELM, "num_transformer_layers": 16, "model_dim": 1280},
            {
                "transformer.token_embeddings.weight": (32000, 1280),
                "transformer.layers.0.attn.qkv_proj.weight": (18 * 64, 1280),
                "transformer.layers.15.attn.qkv_proj.weight": (30 * 64, 1280),
                "transformer.layers.15.attn.q_norm.weight": (64,),
                "transformer.layers.0.ffn.proj_1.weight": (2 * 768, 1280),
                "transformer.layers.15.ffn.proj_2.weight": (1280, 5120),
            },
        ),
        (
            DEEPSEEK_MOE,
            {
                "model.layers.0.mlp.gate_proj.weight": (10944, 2048),
                "model.layers.1.mlp.gate.weight": (64, 2048),
                "model.layers.27.mlp.experts.63.down_proj.weight": (2048, 1408),
                "model.layers.27.mlp.shared_experts.up_proj.weight": (2816, 2048),
            },
        ),
        (
            MINIMAX,
            {
                "model.layers.0.self_attn.qkv_proj.weight": (24576, 6144),
                "model.layers.0.self_attn.norm.weight": (8192,),
                "model.layers.7.self_attn.k_proj.weight": (1024, 6144),
                "model.layers.7.block_sparse_moe.experts.31.w2.weight": (6144, 9216),
            },
        ),
        (
            {"model_type": "mixformer-sequential", **PHI_2},
            {
                "layers.0.wte.weight": (51200, 2560),
                "layers.1.mixer.Wqkv.weight": (7680, 2560),
                "layers.32.mlp.fc1.bias": (10240,),
                "layers.33.ln.weight": (2560,),
                "layers.33.linear.bias": (51200,),
            },
        ),
        (
            {"model_type": "phi-msft", **PHI_2},
            {
                "transformer.embd.wte.weight": (51200, 2560),
                "transformer.h.31.mixer.out_proj.weight": (2560, 2560),
                "lm_head.ln.bias": (2560,),
                "lm_head.linear.weight": (51200, 2560),
            },
        ),
        (
            {"model_type": "phi3small"},
            {
                "model.layers.0.self_attn.query_key_value.weight": (6144, 4096),
                "model.layers.0.mlp.up_proj.bias": (28672,),
                "model.final_layernorm.bias": (4096,),
            },
        ),
        (
            {"model_type": "orion", "hidden_size": 5120},
            {"model.norm.bias": (5120,), "model.layers.0.input_layernorm.bias": (5120,)},
        ),
        (
            {"model_type": "telechat"},
            {
                "transformer.h.0.self_attention.key_value.weight": (8192, 4096),
                "transformer.h.0.self_attention.dense.bias": (4096,),
                "transformer.h.0.mlp.down_proj.bias": (4096,),
                "transformer.ln_f.weight": (4096,),
            },
        ),
        (
            {"model_type": "plamo", **sizes(5120, 40, 40, 16640)},
            {
                "model.layers.layers.39.self_attn.k_proj.weight": (640, 5120),
                "model.layers.layers.39.norm.weight": (5120,),
            },
        ),
        (
            {"model_type": "grok-1", "num_key_value_heads": 8, **sizes(6144, 64, 48, 32768)},
            {
                "model.layers.63.attn.k_proj.weight": (1024, 6144),
                "model.layers.63.moe_block.gate.weight": (8, 6144),
                "model.layers.63.moe_block.experts.7.linear_1.weight": (6144, 32768),
                "model.layers.63.post_moe_norm.scale": (6144,),
                "model.norm.scale": (6144,),
            },
        ),
        (
            {**ARCTIC, "moe_layer_frequency": 2},
            {
                "model.layers.0.block_sparse_moe.mlp.w1.weight": (4864, 7168),
                "model.layers.1.block_sparse_moe.experts.127.w3.weight": (4864, 7168),
                "model.layers.1.residual_mlp.w2.weight": (7168, 7168),
                "model.layers.1.residual_layernorm.weight": (7168,),
            },
        ),
        (
            MOLMO,
            {
                "model.transformer.wte.embedding": (152064, 3584),
                "model.transformer.wte.new_embedding": (128, 3584),
                "model.transformer.blocks.27.att_proj.bias": (4608,),
                "model.transformer.blocks.27.ff_proj.weight": (37888, 3584),
                "model.transformer.ff_out.weight": (152064, 3584),
                "model.vision_backbone.image_vit.positional_embedding": (577, 1024),
                "model.vision_backbone.image_vit.transformer.resblocks.22.attention.wq.weight": (1024, 1024),
                "model.vision_backbone.image_pooling_2d.wk.weight": (1024, 2048),
                "model.vision_backbone.image_projector.w2.weight": (3584, 18944),
            },
        ),
        (
            {"model_type": "minicpm", "num_experts": 8, "num_experts_per_tok": 2},
            {"model.layers.0.mlp.gate.weight": (8, 4096), "model.layers.0.mlp.experts.7.w2.weight": (4096, 11008)},
        ),
        (
            {"model_type": "deci", "num_hidden_layers": 2, "num_key_value_heads_per_layer": [4, 1]},
            {
                "model.layers.0.self_attn.k_proj.weight": (512, 4096),
                "model.layers.1.self_attn.v_proj.weight": (128, 4096),
            },
        ),
        (
            {"model_type": "step1", "num_attention_groups": 4, **sizes(3072, 2, 48, 8192, 65536)},
            {"model.layers.1.self_attn.k_proj.weight": (256, 3072), "model.embed_tokens.weight": (65536, 3072)},
        ),
    ],
    ids=lambda value: value.get("model_type", "") if isinstance(value, dict) else "",
)
def test_names_and_shapes_are_the_file_s(config: dict[str, object], expected: Shapes) -> None:
    found = {tensor.name: tuple(tensor.shape) for tensor in archcount.load(config).tensors()}
    assert {name: found.get(name) for name in expected} == expected
