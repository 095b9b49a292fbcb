"""Every followed check of a kernel against the real runtime, one call at a time."""
