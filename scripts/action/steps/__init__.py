"""The steps of the action that handle names of files, and what they share."""
