"""Writes the files of a new rule: the rule, its test, its page; and of a new plugin."""
