"""What the tests are made with: a writer for the three formats and a builder of small programs."""
