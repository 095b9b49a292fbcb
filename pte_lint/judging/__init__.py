"""Runs rules over an opened artifact."""
