"""Layers that predict further tokens of models with several residual streams: names that public loaders read."""

import archcount

from .look_ahead import ahead


def test_qwen_4_s_experiment_looks_ahead_from_all_streams() -> None:
    """Qwen3.8-Flash-Next: 131 shards hold 359,999,963,128 bytes, two each, but eight for a hash's whole numbers."""
    text = {
        "model_type": "qwen4_exp_text",
        "hidden_size": 2560,
        "num_hidden_layers": 48,
        "num_attention_heads": 24,
        "linear_num_value_heads": 48,
        "moe_intermediate_size": 640,
        "shared_expert_intermediate_size": 640,
        "ple_layer_ids": [2],
        "split_ngram_parts": 128,
        "indexer_n_heads": 4,
        "indexer_kv_heads": 1,
        "indexer_head_dim": 128,
        "indexer_budget": 2048,
        "indexer_compress_ratio": 4,
        "mtp_num_hidden_layers": 1,
    }
    eyes = {"out_hidden_size": 2560, "deepstack_visual_indexes": []}
    config: dict[str, object] = {"model_type": "qwen4_exp", "text_config": text, "vision_config": eyes}
    totals = archcount.load(config).totals
    assert totals.by_section["mtp"] == 2_607_150_848
    assert 2 * (totals.parameters + totals.by_section["mtp"]) + 8 * totals.buffers == 359_999_963_128
    shapes = ahead(config)
    assert len(shapes) == 31 - 2  # the experts' two packed tensors, here one by one
    assert shapes["mtp.fc_embedding.weight"] == shapes["mtp.fc_hidden.weight"] == (2560, 2560)
    assert shapes["mtp.pre_fc_norm_embedding.weight"] == (2560,)
    assert shapes["mtp.pre_fc_norm_hidden.weight"] == (10240,)
    assert shapes["mtp.layers.0.self_attn.indexer.index_qk_proj.weight"] == (640, 2560)
    assert shapes["mtp.layers.0.attn_hyper_connection.block_inject_weight.weight"] == (4, 10240)
    assert shapes["mtp.hyper_connection_mixer.input_mix_weight_up.weight"] == (10240, 320)
    assert "mtp.hyper_connection_mixer.block_inject_weight.weight" not in shapes


def test_hunyuan_4_looks_ahead_on_one_stream() -> None:
    """rtp-llm hy_v4.py, vLLM hy_v4/nvidia/mtp.py; Hy4-preview's card: 770B, and 10B in the layer that looks ahead."""
    config: dict[str, object] = {"model_type": "hy_v4_vl_text", "num_nextn_predict_layers": 1}
    assert archcount.load(config).totals.by_section == {"main": 769_907_408_797, "mtp": 10_053_583_936}
    assert ahead(config) == {
        "model.mtp_layers.0.self_attn.q_a_proj.weight": (2048, 6144),
        "model.mtp_layers.0.self_attn.q_a_layernorm.weight": (2048,),
        "model.mtp_layers.0.self_attn.q_b_proj.weight": (16384, 2048),
        "model.mtp_layers.0.self_attn.kv_a_proj_with_mqa.weight": (576, 6144),
        "model.mtp_layers.0.self_attn.kv_a_layernorm.weight": (512,),
        "model.mtp_layers.0.self_attn.kv_b_proj.weight": (28672, 512),
        "model.mtp_layers.0.self_attn.o_proj.weight": (6144, 16384),
        "model.mtp_layers.0.self_attn.indexer.wq_b.weight": (4096, 2048),
        "model.mtp_layers.0.self_attn.indexer.wk.weight": (128, 6144),
        "model.mtp_layers.0.self_attn.indexer.k_norm.weight": (128,),
        "model.mtp_layers.0.self_attn.indexer.k_norm.bias": (128,),
        "model.mtp_layers.0.self_attn.indexer.weights_proj.weight": (32, 6144),
        "model.mtp_layers.0.self_attn.linear_gate.weight": (16384, 6144),
        "model.mtp_layers.0.self_attn.learnable_sink_param": (64,),
        "model.mtp_layers.0.mlp.gate.weight": (256, 6144),
        "model.mtp_layers.0.mlp.gate.e_score_correction_bias": (256,),
        "model.mtp_layers.0.mlp.shared_experts.gate_proj.weight": (2048, 6144),
        "model.mtp_layers.0.mlp.shared_experts.up_proj.weight": (2048, 6144),
        "model.mtp_layers.0.mlp.shared_experts.down_proj.weight": (6144, 2048),
        "model.mtp_layers.0.input_layernorm.weight": (6144,),
        "model.mtp_layers.0.post_attention_layernorm.weight": (6144,),
        "model.mtp_layers.0.enorm.weight": (6144,),
        "model.mtp_layers.0.hnorm.weight": (6144,),
        "model.mtp_layers.0.eh_proj.weight": (6144, 12288),
        "model.mtp_layers.0.final_layernorm.weight": (6144,),
    }
