"""Vision and audio encoders that several families put before a language model: a schema and a function each."""
