"""The seed where none is given: secret, of one owner and one table, and told by the recipe alone."""

from __future__ import annotations

import hashlib
import hmac
import os
import random
import stat
import struct

import pytest

import tclose
from tclose.errors import InputError

KEY = b"a key of sixteen bytes or more"
ROLES = tclose.Roles(["age"], {"ill": tclose.Nominal()})
POSIX = pytest.mark.skipif(os.name == "nt", reason="other places and rights on Windows")


def people(seed=1):
    chance = random.Random(seed)
    return [(chance.randrange(20, 60), chance.choice("abc")) for _ in range(60)]


def table(rows):
    return {"age": [age for age, _ in rows], "ill": [ill for _, ill in rows]}


def seed_of(data, **options):
    return tclose.anonymize(data, ROLES, require={"k": 3}, effort=0, **options).recipe.seed


def by_hand(rows, key):
    """Return the seed of the law: HMAC of the distinct rows, as positions among sorted values, with their counts."""
    ages, ills = sorted({age for age, _ in rows}), sorted({ill for _, ill in rows})
    distinct = sorted(set(rows))
    mark = hmac.new(key, b"the seed of a release of tclose", hashlib.sha256)
    for values, at in ((ages, 0), (ills, 1)):
        mark.update(f"({len(distinct)}, 1)".encode())
        mark.update(b"".join(struct.pack("<i", values.index(row[at])) for row in distinct))
    mark.update(b"".join(struct.pack("<q", rows.count(row)) for row in distinct))
    return int.from_bytes(mark.digest()[:8], "big") // 2


def test_a_seed_follows_from_the_key_and_the_counts_alone(tmp_path):
    rows = people()
    found = by_hand(rows, KEY)
    assert seed_of(table(rows), key=KEY) == found
    assert seed_of(table(rows[::-1]), key=KEY) == found
    lines = ["age,ill", *(f"{age},{ill}" for age, ill in sorted(rows, key=str))]
    (tmp_path / "people.csv").write_text("\n".join(lines))
    assert seed_of(str(tmp_path / "people.csv"), key=KEY) == found
    key_file = tmp_path / "key"
    key_file.write_bytes(KEY + b"\n")
    assert seed_of(table(rows), key_file=str(key_file)) == found


def test_other_keys_and_tables_have_other_seeds_and_a_given_one_stays():
    rows = people()
    seeds = {seed_of(table(some), key=key) for some in (rows, people(2)) for key in (KEY, KEY[::-1])}
    assert len(seeds) == 4
    assert [seed_of(table(rows), key=KEY, seed=given) for given in (0, 7)] == [0, 7]


@POSIX
def test_the_own_key_is_made_once_for_its_owner_alone(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    rows = people()
    found = seed_of(table(rows))
    place = tmp_path / "settings" / "tclose" / "key"
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert [each.name for each in place.parent.iterdir()] == ["key"]
    assert len(bytes.fromhex(place.read_text())) == 32
    assert found == seed_of(table(rows)) == by_hand(rows, place.read_bytes())


@POSIX
def test_without_a_home_a_seed_is_fresh_and_said_to_be(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "file"))
    made = [tclose.anonymize(table(people()), ROLES, require={"k": 3}, effort=0) for _ in range(2)]
    assert made[0].recipe.seed != made[1].recipe.seed
    assert [sum(note.code == "seed-fresh" for note in each.notes) for each in made] == [1, 1]


@POSIX
def test_an_own_key_that_could_be_guessed_is_refused(tmp_path, monkeypatch):
    (tmp_path / "tclose").mkdir()
    (tmp_path / "tclose" / "key").write_text("short")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    with pytest.raises(InputError, match="fewer than 16 bytes"):
        seed_of(table(people()))


def test_what_goes_out_has_no_seed(tmp_path):
    release = tclose.anonymize(table(people()), ROLES, require={"k": 3}, key=KEY)
    written = release.write(tmp_path / "release.csv", certificate=tmp_path / "release.certificate.json")
    seed = str(release.recipe.seed)
    assert seed in written.recipe.read_text()
    assert not [path for path in tmp_path.iterdir() if path != written.recipe and seed in path.read_text()]


def test_an_attack_is_by_the_same_key_each_time():
    found = [tclose.attack(table(people()), ROLES, require={"k": 3}).outcomes for _ in range(2)]
    assert found[0] == found[1]
