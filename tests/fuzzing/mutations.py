"""Damage done to sound files: to their bytes, their words, their trees, and what is packed in them."""

from __future__ import annotations

import gzip
import io
import json
import random
import re
import zipfile
from collections.abc import Callable
from typing import Any

WORDS = (
    b"", b" ", b"\x00", b"\r", b"\n", b'"', b'"""', b"'", b",", b";", b"\t", b"\xff\xfe", b"\xef\xbb\xbf",
    b"\xed\xa0\x80",
    b"\xc3", b"0", b"-0", b"-1", b"1e308", b"1e999999999", b"1/0", b"NaN", b"Infinity", b"9" * 400, b"0x7fffffff",
    b"18446744073709551616", b"null", b"true", b"[]", b"{}", b"[" * 3000, b'{"a":' * 800, b"*", b"..",
    b"../../etc/passwd",
    b"2020-02-30", b"9999-12-31", b"0001-01-01", b"\xe2\x88\x9e", b"\xf0\x9f\x99\x82", b"=1+1", b"%s%n", b"$(id)",
    b"'; --",
    b"a" * 70_000, b"intervals:0", b"quantiles:99999999", b"mask", b"1.5,2,", b"\x1b[31m",
)  # fmt: skip
NUMBERS = (0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, 2**63 - 1, 2**64 - 1)
VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1.5, 10**40, 1e308, float("nan"), "", " ", "*", "0", "1/0", "1e999999999", "9" * 400,
    [], {}, [[]],
    {"a": {}}, [None], "\ud800", "\x00", "flat", "mask", "zip", "ill", ["zip"], ["zip", "zip"], {"zip": 1}, -(2**63),
    "🙂",
)  # fmt: skip
_TOKEN = re.compile(rb"[0-9A-Za-z_.+-]+|[^0-9A-Za-z_.+-]")


def damaged(content: bytes, ending: str, choose: random.Random) -> bytes:
    """Return content that was damaged: where it is packed, inside or outside of the packing."""
    inside = choose.random() < 0.8
    if ending == ".xlsx" and inside:
        return _repacked(content, choose)
    if ending.endswith(".gz") and inside:
        return gzip.compress(damaged(gzip.decompress(content), ".csv", choose), mtime=0)
    if ending == ".json" and choose.random() < 0.6:
        return json.dumps(changed_tree(json.loads(content), choose)).encode()
    for _ in range(choose.choice((1, 1, 1, 2, 3, 8))):
        content = choose.choice(_WAYS)(content, choose)
    return content


def _repacked(content: bytes, choose: random.Random) -> bytes:
    """Damage one of the files in an archive."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    hit = choose.choice([name for name in files if "sheet" in name or "shared" in name or choose.random() < 0.3])
    files[hit] = damaged(files[hit], ".xml", choose)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, inner in files.items():
            archive.writestr(name, inner)
    return packed.getvalue()


def changed_tree(tree: Any, choose: random.Random) -> Any:
    """Return a tree of JSON with some of its values or keys replaced, doubled, swapped or gone."""
    for _ in range(choose.choice((1, 1, 2, 4))):
        places = list(_places(tree))
        if not places:
            return choose.choice(VALUES)
        holder, key = choose.choice(places)
        _change(holder, key, choose, choose.choice(places))
    return tree


def _places(tree: Any) -> Any:
    inner = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in inner:
        yield tree, key
        yield from _places(value)


def _change(holder: Any, key: Any, choose: random.Random, other: tuple[Any, Any]) -> None:
    way = choose.randrange(5)
    value = holder[key]
    if way == 0:
        del holder[key]
    elif way == 1:
        holder[key] = json.loads(json.dumps(other[0][other[1]])) if other[0] is not holder else [value]
    elif way == 2 and isinstance(value, str):
        holder[key] = damaged(value.encode("utf-8", "surrogatepass"), ".txt", choose).decode("utf-8", "replace")
    elif way == 3 and isinstance(holder, list):
        holder.insert(key, json.loads(json.dumps(value)))
    else:
        holder[key] = choose.choice(VALUES)


def _spot(content: bytes, choose: random.Random) -> tuple[int, int]:
    start = choose.randint(0, len(content))
    return start, min(len(content), start + choose.choice((1, 1, 2, 4, 8, 30, 200)))


def _bit(content: bytes, choose: random.Random) -> bytes:
    if not content:
        return content
    at = choose.randrange(len(content))
    return content[:at] + bytes([content[at] ^ (1 << choose.randrange(8))]) + content[at + 1 :]


def _number(content: bytes, choose: random.Random) -> bytes:
    width, order = choose.choice((1, 2, 4, 8)), choose.choice(("little", "big"))
    written = (choose.choice(NUMBERS) % 256**width).to_bytes(width, order)  # type: ignore[arg-type]
    at = choose.randint(0, max(0, len(content) - width))
    return content[:at] + written + content[at + width :]


def _gone(content: bytes, choose: random.Random) -> bytes:
    start, end = _spot(content, choose)
    return content[:start] + content[end:]


def _twice(content: bytes, choose: random.Random) -> bytes:
    start, end = _spot(content, choose)
    return content[:end] + content[start:end] * choose.choice((1, 1, 3, 500)) + content[end:]


def _cut(content: bytes, choose: random.Random) -> bytes:
    return content[: choose.randint(0, len(content))]


def _word(content: bytes, choose: random.Random) -> bytes:
    start, end = _spot(content, choose)
    return content[:start] + choose.choice(WORDS) + content[choose.choice((start, end)) :]


def _token(content: bytes, choose: random.Random) -> bytes:
    """Replace a word by another word of the same content, or by a strange one."""
    tokens = _TOKEN.findall(content)
    if not tokens:
        return content
    at = choose.randrange(len(tokens))
    tokens[at] = choose.choice(WORDS) if choose.random() < 0.5 else choose.choice(tokens)
    return b"".join(tokens)


def _moved(content: bytes, choose: random.Random) -> bytes:
    start, end = _spot(content, choose)
    rest = content[:start] + content[end:]
    at = choose.randint(0, len(rest))
    return rest[:at] + content[start:end] + rest[at:]


_WAYS: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    _bit, _number, _gone, _twice, _cut, _word, _word, _token, _token, _moved
)  # fmt: skip
