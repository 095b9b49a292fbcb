"""What a rule is, and which there are."""
