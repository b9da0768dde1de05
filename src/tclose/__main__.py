"""``python -m tclose``: the command line where its script is not on the path."""

from tclose.cli.__main__ import run

if __name__ == "__main__":
    run()
