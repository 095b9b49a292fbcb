"""What surrounds a program: header, segment area, and what kind of file this is.

(The checks and the reading are added in this module and its siblings.)
"""
