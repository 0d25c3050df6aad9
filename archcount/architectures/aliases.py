"""Which file holds a model_type; made by `python -m archcount.architectures`."""

FILE_OF: dict[str, str] = {
    "deepseek_v3": "deepseek_v3",
    "gpt-sw3": "gpt2",
    "gpt2": "gpt2",
    "llama": "llama",
}
