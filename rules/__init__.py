"""The built-in rules: one judgement a file."""
