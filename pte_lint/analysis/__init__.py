"""Programs as graphs: methods, instructions, control flow, residency, live ranges."""
