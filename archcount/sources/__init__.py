"""Where a config comes from: a known name, a path, the Hub, a revision in git."""
