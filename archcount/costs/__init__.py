"""What a model costs: memory and FLOPs of its rows and parts, and what of it a device holds."""
