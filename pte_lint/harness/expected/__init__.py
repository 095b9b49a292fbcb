"""Runs a program on given inputs and compares its outputs with expected ones."""
