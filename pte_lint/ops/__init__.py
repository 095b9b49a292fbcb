"""What operators are: each is described once, without a program at hand."""
