"""Renders reports: one file a format."""
