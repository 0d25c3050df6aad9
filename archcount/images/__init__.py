"""What an image becomes: patches that a tower works on, and tokens of the language model's context."""
