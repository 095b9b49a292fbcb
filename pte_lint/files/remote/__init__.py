"""Artifacts behind an address."""
