"""``python -m tclose.cli``."""

from tclose.cli import main

main()
