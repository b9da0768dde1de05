"""What a page does, as a command and as Python: with the policy file that it saves, the same release."""

from __future__ import annotations

import shlex

from tclose.web.workspace import Opened

POLICY_FILE = "tclose.toml"
_PYTHON = """import tclose

policy = tclose.read_policy({policy!r})  # the policy file that the page saves
release = tclose.anonymize(policy.with_table({table!r}))
print(release)
release.write("release.csv")
"""


def scripts(opened: Opened) -> dict[str, str]:
    """Return the command and the Python script that make the release of a table by its policy file."""
    table = opened.policy.table or (opened.table if isinstance(opened.table, str) else opened.label)
    command = ["tclose", "anonymize", str(table), "--policy", POLICY_FILE, "-o", "release.csv"]
    return {"command": shlex.join(command), "python": _PYTHON.format(policy=POLICY_FILE, table=str(table))}
