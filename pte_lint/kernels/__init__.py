"""Operators: what is known of them, and what a target has."""
