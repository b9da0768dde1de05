"""What a page does, as a command and as Python: with the policy file that it saves, the same release."""

from __future__ import annotations

import shlex

from tclose.web.workspace import Opened

POLICY_FILE = "tclose.toml"
_PYTHON = """import tclose
from tclose.anonymizing.disguising import read_key

policy = tclose.read_policy({policy!r})  # the policy file that the page saves
choices = policy.release
release = tclose.anonymize(
    {table!r},
    policy.roles,
    require=policy.requirements(),
    preset=policy.preset,
    method=choices.method,
    loss=choices.loss,
    suppress=choices.suppress,
    pruned=choices.pruned,
    against=choices.against,
    intervals=choices.intervals,
    effort=choices.effort,
    seed=choices.seed,
    key=read_key(choices.key_file, choices.key_variable),
    shift_days=choices.shift_days,
    withstand=choices.withstand or policy.gain,
    hierarchies=policy.hierarchies,
    levels=policy.levels,
    weights=policy.weights,
    numbers=policy.numbers,
    read=policy.read,
)
print(release)
release.write("release.csv")
"""


def scripts(opened: Opened) -> dict[str, str]:
    """Return the command and the Python script that make the release of a table by its policy file."""
    table = opened.policy.source or (opened.table if isinstance(opened.table, str) else opened.label)
    command = ["tclose", "anonymize", str(table), "--policy", POLICY_FILE, "-o", "release.csv"]
    return {"command": shlex.join(command), "python": _PYTHON.format(policy=POLICY_FILE, table=str(table))}
