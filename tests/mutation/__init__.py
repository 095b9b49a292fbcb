"""Small changes of the product, and which of them no test notices. `scripts/mutate` runs it."""
