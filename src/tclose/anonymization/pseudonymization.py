"""Pseudonyms, shifted dates and rounded numbers of a release: checked, made again, told, and what they give away."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from tclose.anonymization.recipes import Recipe
from tclose.anonymization.releases import Release
from tclose.data.file_reading import read_whole
from tclose.engines.base import Engine, Table
from tclose.engines.pseudonyms import MOST_DAYS, Disguise, Disguised, Revealed, key_check
from tclose.errors import Ask, Hint, InputError, Note, listed
from tclose.policy.exact_numbers import written
from tclose.policy.roles import Roles

_SHORTEST_KEY = 16
_LONGEST_KEY = 1 << 16
_DATES = ("DATE", "TIMESTAMP")


def read_key(file: str | Path | None, variable: str | None) -> bytes | None:
    """Return the secret key in a file or in a variable of the environment; None where neither is named.

    An end of line after the key is not part of it.
    """
    if file is not None and variable is not None:
        raise InputError("The key is in a file or in a variable of the environment; name one of them.")
    if file is not None:
        try:
            return read_whole(Path(file), _LONGEST_KEY).rstrip(b"\r\n")
        except OSError as problem:
            raise InputError(f"The key {str(file)!r} cannot be read: {problem.strerror}.") from None
    if variable is None:
        return None
    if variable not in os.environ:
        raise InputError(f"There is no variable {variable!r} in the environment, which was to hold the key.")
    return os.fsencode(os.environ[variable]).rstrip(b"\r\n")


def disguise_of(roles: Roles, days: int, key: bytes | None) -> Disguise | None:
    """Return how the rows of a release are disguised; None where nothing of the kind is asked for.

    Parameters
    ----------
    roles
        Which column is what.
    days
        By how many days dates are shifted at most.
    key
        The caller's secret, for the same pseudonyms and offsets in every release; None for fresh ones.
    """
    if not roles.pseudonym and not roles.shifted:
        return None
    if isinstance(days, bool) or not isinstance(days, int) or not 1 <= days <= MOST_DAYS:
        raise InputError(f"Dates are shifted by a whole number of days, from 1 to {MOST_DAYS:,}.", field="shift_days")
    if key is not None:
        _check_key(key, roles)
    made = secrets.token_bytes(32) if key is None else key
    return Disguise(roles.person, roles.pseudonym is not None, roles.shifted, days, made)


def check_length(key: bytes) -> None:
    """Refuse a key that is not made of bytes, or could be guessed."""
    if not isinstance(key, bytes):
        raise InputError(f"The key is bytes, not {type(key).__name__}.", field="key")
    if len(key) < _SHORTEST_KEY:
        raise InputError(
            f"The key has fewer than {_SHORTEST_KEY} bytes and could be guessed.",
            field="key",
            hint=Hint("Make one of 32 random bytes, such as by 'openssl rand -hex 32', and keep it with the original."),
        )


def _check_key(key: bytes, roles: Roles) -> None:
    check_length(key)
    if roles.person is None:
        raise InputError(
            "With a key, the dates of a person are shifted alike in every release, and no column tells people apart.",
            field="person",
            hint=Hint("Name it: {}.", Ask("person")),
        )


def disguise_again(recipe: Recipe, key: bytes | None) -> Disguise | None:
    """Return how a recipe has rows disguised: with the key that it was made with, or freshly where it had none."""
    if recipe.key_check is not None:
        if key is None:
            raise InputError(
                "The recipe was made with a key, does not hold it, and needs it again.",
                code="key-missing",
                field="key",
                hint=Hint("Give it: {}.", Ask("key")),
            )
        if key_check(key) != recipe.key_check:
            raise InputError(
                "The recipe was made with another key: the same person would get another pseudonym.",
                code="key-differs",
                field="key",
                hint=Hint("Give the key that it was made with, or make a new release."),
            )
    elif key is not None:
        raise InputError("The recipe has no pseudonyms or shifted dates that were made with a key; it takes none.")
    return disguise_of(recipe.roles, recipe.shift_days, key)


def with_disguise(recipe: Recipe | None, disguise: Disguise | None, *, keyed: bool) -> Recipe | None:
    """Return a recipe that remembers how rows are disguised, but for the secret."""
    if recipe is None or disguise is None:
        return recipe
    return replace(recipe, shift_days=disguise.days, key_check=key_check(disguise.key) if keyed else None)


def revealed(session: Engine, release: Release, disguise: Disguise | None, found: Disguised | None) -> Revealed | None:
    """Return what a disguised release gives away; None where there is none."""
    if disguise is None or found is None or not release.holds:
        return None
    person = disguise.person if disguise.pseudonym else None
    quasi = release.roles.quasi
    linked = None
    if person is not None:
        linked = session.trajectories(release.table.keep([*quasi, person]), quasi, person)
    if not disguise.dates:
        return Revealed(linked)
    shown = release.table.keep([*disguise.dates, *([] if person is None else [person])])
    units, alone = session.alone_by_dates(shown, disguise.dates, person)
    return Revealed(linked, disguise.days, units, alone, found.fewest, found.known)


def disguise_notes(published: Table[Any], roles: Roles, *, keyed: bool) -> Iterator[Note]:
    """Give notes on what to know of columns that a release has disguised or rounded."""
    if roles.pseudonym is not None:
        way = "made with the key: the same in every release that has it" if keyed else "drawn for this release alone"
        yield Note("pseudonyms", f"The column {roles.pseudonym!r} has pseudonyms, {way}.", column=roles.pseudonym)
    if roles.shifted:
        whose = "row" if roles.person is None else "person"
        text = f"Dates in {listed(roles.shifted)} are shifted by one offset for each {whose}; times of day stay."
        yield Note("dates-shifted", text)
        dates = [
            column.name
            for column in published.columns
            if column.name not in roles.shifted and column.type.startswith(_DATES)
        ]
        if dates:
            yield Note(
                "dates-not-shifted",
                f"Other dates are not shifted and can show the offset beside these: {listed(dates)}.",
            )
    for name, step in roles.steps.items():
        text = f"The numbers of {name!r} are rounded to multiples of {written(step)}, in the release and all figures."
        yield Note("numbers-rounded", text, column=name)
