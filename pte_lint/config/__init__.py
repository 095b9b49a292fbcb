"""Configuration: file, settings, ignore entries, baselines."""
