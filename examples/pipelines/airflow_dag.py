"""A DAG of Airflow 3: a release is made every month, and only then published.

Put it into the folder of DAGs with steps.py beside it; TABLE, POLICY and TARGET are in the environment of the workers.
"""

import os
import sys
from datetime import datetime
from pathlib import Path

from airflow.sdk import dag, task

sys.path.insert(0, str(Path(__file__).parent))
import steps


@dag(schedule="@monthly", start_date=datetime(2026, 1, 1), catchup=False)
def monthly_release():
    """Release, then publish."""

    @task
    def release() -> str:
        """Make the release; what follows is not started where there is none."""
        return steps.release(os.environ["TABLE"], os.environ["POLICY"], os.environ["TARGET"])

    @task
    def publish(file: str) -> str:
        """Put your own way of publishing here."""
        return f"{file} is published."

    publish(release())


monthly = monthly_release()
