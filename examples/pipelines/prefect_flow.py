"""A flow of Prefect: a release is made, and only then published.

python prefect_flow.py january.csv tclose.toml release.csv
"""

import sys

import steps
from prefect import flow, task


@task
def release(table: str, policy: str, target: str) -> str:
    """Make the release; the run fails where there is none, and what follows does not start."""
    return steps.release(table, policy, target)


@task
def publish(file: str) -> str:
    """Put your own way of publishing here."""
    return f"{file} is published."


@flow(log_prints=True)
def monthly(table: str, policy: str, target: str) -> str:
    """Release, then publish."""
    return publish(release(table, policy, target))


if __name__ == "__main__":
    print(monthly(*sys.argv[1:4]))
