"""Runs a method on abstract values."""
