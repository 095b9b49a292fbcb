"""Text: strings as the runtime and readers see them."""
