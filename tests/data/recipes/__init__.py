"""Recipes for the exported programs under ``tests/data``; one module for each kind of thing.

Development only: the recipes need torch 2.13.0 and executorch 1.5.1. The tests read the files,
never this package.
"""
