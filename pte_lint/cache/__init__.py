"""Results that are kept: by the bytes they depend on, the rules, the target, and the settings."""
