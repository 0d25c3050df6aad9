"""What the published weight files say they hold, read from their headers alone."""
