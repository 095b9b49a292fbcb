"""Plays a method without its data: what values are, how large tensors get, where control goes.

`runs` follows every path of the first and later runs; `player` plays one step on a `state`, with
the modules beside it for what the steps do.
"""
