"""One file a family, named for its model_type: the config's keys, then the rule that turns them into tensors."""
