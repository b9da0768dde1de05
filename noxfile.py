"""The tests with every Python that the machine has: ``nox``, or ``nox -s tests-3.13 -- tests/models``."""

import nox

nox.options.error_on_missing_interpreters = False


@nox.session(python=["3.11", "3.12", "3.13", "3.14"])
def tests(session: nox.Session) -> None:
    """Install the project with what its tests need, and run them."""
    session.install("-e", ".[test]")
    session.install("--no-deps", "pycanon>=1.3,<2")
    session.run("python", "-m", "pytest", "-n", "3", *session.posargs)
