"""Tensors that llama.cpp's converter renames or cuts into equal parts without asking the table of names."""

from __future__ import annotations

Choices = tuple[tuple[str, ...], ...]
"""Each the names of the parts, without `.weight`; `{}` is the layer's number, `{+1}` the next."""

EXPERTS: Choices = (("blk.{}.ffn_gate_exps", "blk.{}.ffn_up_exps"), ("blk.{}.ffn_gate_up_exps",))
DOWN: Choices = (("blk.{}.ffn_down_exps",),)
STACKS = ("L_module", "H_module")  # of a hierarchical reasoning model, numbered on in a file
IN_STACKS = {
    ("attn", "o_proj", "weight"): ("blk.{}.attn_output",),
    ("attn", "o_proj", "bias"): ("blk.{}.attn_output",),
    ("mlp", "gate_up_proj", "weight"): ("blk.{}.ffn_gate", "blk.{}.ffn_up"),
}


def _both(tail: tuple[str, ...], name: str) -> dict[tuple[str, ...], Choices]:
    """A module's weight and its bias."""
    return {(*tail, last): ((name,),) for last in ("weight", "bias")}


IN_LAYERS: dict[tuple[str, ...], Choices] = {
    ("block_sparse_moe", "input_linear", "weight"): EXPERTS,
    ("shared_mlp", "input_linear", "weight"): (
        ("blk.{}.ffn_gate_shexp", "blk.{}.ffn_up_shexp"),
        ("blk.{}.ffn_gate", "blk.{}.ffn_up"),
    ),
    ("shared_mlp", "output_linear", "weight"): (("blk.{}.ffn_down_shexp",), ("blk.{}.ffn_down",)),
    ("experts", "gate_up_proj"): EXPERTS,
    ("experts", "gate_up_proj_bias"): EXPERTS,
    ("experts", "gate_proj", "weight"): (("blk.{}.ffn_gate_exps",),),
    ("experts", "up_proj", "weight"): (("blk.{}.ffn_up_exps",),),
    ("experts", "down_proj"): DOWN,
    ("experts", "down_proj_bias"): DOWN,
    ("experts", "down_proj", "weight"): DOWN,
    ("self_attn", "W_pack", "weight"): (("blk.{}.attn_q", "blk.{}.attn_k", "blk.{}.attn_v"),),
    ("gqkv_proj", "weight"): (("blk.{}.attn_gate", "blk.{}.attn_q", "blk.{}.attn_k", "blk.{}.attn_v"),),
    **_both(("attention", "wqkv"), "blk.{}.attn_qkv"),
    **_both(("attention", "query_key_value"), "blk.{}.attn_qkv"),
    **{(stack, "layers", *part): (names,) for stack in STACKS for part, names in IN_STACKS.items()},
}
IN_TOWERS: dict[tuple[str, ...], Choices] = {
    ("attn", "in_proj_weight"): (("v.blk.{}.attn_qkv",),),
    ("attn", "in_proj_bias"): (("v.blk.{}.attn_qkv",),),
    ("ls_1", "gamma"): (("v.blk.{}.ls1",),),
    ("ls_2", "gamma"): (("v.blk.{}.ls2",),),
    ("multi_modal_projector", "mm_input_projection_weight"): (("mm.input_projection",),),
    ("multi_modal_projector", "linear_1", "weight"): (("mm.model.fc",),),
    ("vit_large_projector", "weight"): (("mm.model.fc",),),
    ("subsample_conv_projection", "input_proj_linear", "weight"): (("a.input_projection",),),
    **_both(("audio_tower", "output_proj"), "a.pre_encode.out"),
    **_both(("merger", "norm"), "v.post_ln"),
    **_both(("merger", "linear_fc1"), "mm.0"),
    **_both(("merger", "linear_fc2"), "mm.2"),
    **_both(("aligner", "fc1"), "mm.0"),
    **_both(("aligner", "hidden_layers"), "mm.{+1}"),
    **_both(("deepstack_merger_list", "norm"), "v.deepstack.{}.norm"),
    **_both(("deepstack_merger_list", "linear_fc1"), "v.deepstack.{}.fc1"),
    **_both(("deepstack_merger_list", "linear_fc2"), "v.deepstack.{}.fc2"),
    **_both(("vit_downsampler1",), "mm.0"),
    **_both(("vit_downsampler2",), "mm.1"),
    **_both(("vision_embedder", "pos_norm"), "v.patch_norm.3"),
}
PARTS = {**IN_LAYERS, **IN_TOWERS}
"""By the last parts of a name, numbers left aside."""
