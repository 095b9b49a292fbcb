"""Repairs programs: edits that undo findings, a memory plan for the result, and the proof."""
