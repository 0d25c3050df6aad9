"""Results as tables, Markdown, CSV and JSON."""
