"""What kernels check before they compute: sizes, element types, dimension order."""
