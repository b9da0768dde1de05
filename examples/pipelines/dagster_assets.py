"""Assets of Dagster: the published table depends on a release, which exists only where the policy is met.

dagster asset materialize --select '*' -f dagster_assets.py, with TABLE, POLICY and TARGET in the environment
"""

import os

import steps
from dagster import Definitions, MaterializeResult, asset


@asset
def release() -> MaterializeResult:
    """Make the release; Dagster starts nothing that depends on it where it fails."""
    file = steps.release(os.environ["TABLE"], os.environ["POLICY"], os.environ["TARGET"])
    return MaterializeResult(metadata={"file": file, "report": f"{file}.html"})


@asset(deps=[release])
def published() -> MaterializeResult:
    """Put your own way of publishing here."""
    return MaterializeResult(metadata={"file": os.environ["TARGET"]})


defs = Definitions(assets=[release, published])
