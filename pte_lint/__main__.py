"""Makes `python -m pte_lint` the same as `pte-lint`."""

from pte_lint.cli import main

if __name__ == "__main__":
    main()
