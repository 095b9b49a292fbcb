"""Tests of the schema room: layout text, table reader, containers, blobs."""
