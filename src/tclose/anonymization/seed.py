"""The seed of a release: secret unless one is given, and the same wherever its owner makes the release again.

It follows from a key of the owner's and from the counts of distinct rows, so that nobody who knows the code and nearly
all values can search again for each value that is left. Neither the order of rows nor the format nor the engine has a
say in it.
"""

from __future__ import annotations

import hmac
import os
import secrets
from contextlib import suppress
from pathlib import Path

import numpy as np

from tclose.anonymization.pseudonymization import check_length, read_key
from tclose.data.file_reading import read_whole
from tclose.engines.distinct import DistinctRows
from tclose.errors import Ask, Hint, Note
from tclose.policy.policy import Policy

_BYTES = 32
_LONGEST = 1 << 16
_PURPOSE = b"the seed of a release of tclose"


def seeded(policy: Policy, distinct: DistinctRows, key: bytes | None = None) -> tuple[Policy, tuple[Note, ...]]:
    """Return a policy with a seed, and what there is to say of it.

    Parameters
    ----------
    policy
        What is asked; a seed that it gives stays.
    distinct
        The distinct rows of the table.
    key
        The owner's secret; the one that the policy names if left out, or else the one in the folder of their settings,
        which is made when it is first needed.
    """
    if policy.release.seed is not None:
        return policy, ()
    if key is None:
        key = read_key(policy.release.key_file, policy.release.key_variable)
    if key is not None:
        check_length(key)
    made = key or _own_key()
    if made is not None:
        return policy.with_options({"seed": _seed(distinct, made)}), ()
    text = (
        "The seed is fresh, because no key of yours can be kept here: another run on the same table may give other "
        "classes. The recipe has the seed."
    )
    fresh = _seed(distinct, secrets.token_bytes(_BYTES))
    return policy.with_options({"seed": fresh}), (
        Note("seed-fresh", text, Hint("For the same seed in every run give a key: {}.", Ask("key")), confidential=True),
    )


def _seed(distinct: DistinctRows, key: bytes) -> int:
    found = hmac.new(key, _PURPOSE, "sha256")
    for codes in (distinct.codes, distinct.sensitive_codes):
        found.update(f"{codes.shape}".encode())
        found.update(np.ascontiguousarray(codes, dtype="<i4").data)
    found.update(np.ascontiguousarray(distinct.counts, dtype="<i8").data)
    return int.from_bytes(found.digest()[:8], "big") >> 1


def _own_key() -> bytes | None:
    """Return the key of whoever runs this, made if there is none yet; None where none can be read or kept."""
    path = _key_place()
    if path is None:
        return None
    with suppress(OSError):
        if not path.exists():
            _make(path)
        key = read_whole(path, _LONGEST).rstrip(b"\r\n")
        check_length(key)
        return key
    return None


def _key_place() -> Path | None:
    """Return where the key is kept: in the folder in which the system has settings of its user."""
    given = os.environ.get("APPDATA" if os.name == "nt" else "XDG_CONFIG_HOME", "")
    if given and Path(given).is_absolute():
        return Path(given, "tclose", "key")
    with suppress(RuntimeError):  # nobody's home is known
        return Path.home() / ".config" / "tclose" / "key"
    return None


def _make(path: Path) -> None:
    """Make a key that only its owner may read; where another process makes one at the same time, the first stays."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = path.with_name(f"key.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(secrets.token_hex(_BYTES).encode())
        with suppress(FileExistsError):
            os.link(fresh, path)
    finally:
        fresh.unlink(missing_ok=True)
