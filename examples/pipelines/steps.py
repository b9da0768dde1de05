"""What a pipeline does before it publishes: the flows of Airflow, Dagster and Prefect beside this file call it."""

import subprocess
import sys


class NotReleasedError(Exception):
    """No release was written, and the message says why; it quotes no cell."""


def release(table: str, policy: str, target: str) -> str:
    """Make a release of a table by a policy, audited as it was written, with a report to sign; return its file.

    Only the exit code 0 lets the pipeline go on. Whatever else stands between the table and a release ends the step:
    a policy that is not met (1), a column that it does not name or a table that cannot be read (2), a failure (3).
    An earlier release then stays as it is.
    """
    words = ["anonymize", table, "--policy", policy, "--quiet", "--force", "-o", target, "--report", f"{target}.html"]
    done = subprocess.run([sys.executable, "-m", "tclose", *words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        told = done.stderr.strip() or done.stdout.partition("\n\n")[0]
        raise NotReleasedError(f"tclose left with {done.returncode}: {told}")
    return target
