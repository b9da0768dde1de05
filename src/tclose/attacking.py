"""The verb ``attack``: what someone who knows the method learns, beside what they would learn without the release."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tclose.anonymizing.framing import GivenHierarchy, Levels, RecodingOptions
from tclose.anonymizing.releasing import chosen_search, whole_seed
from tclose.anonymizing.trials import Plan, check_attackable, subjects_of, tried, tried_on
from tclose.attacks.catalogue import attackers_named
from tclose.attacks.findings import Attack
from tclose.auditing import check_attributes
from tclose.engines.base import Engine, Progress
from tclose.engines.distinct import DistinctRows
from tclose.errors import Ask, Hint, InputError
from tclose.exact import Number, share
from tclose.models.catalogue import Requirement, Wanted, required_for_any, requirements
from tclose.opening import opened_with
from tclose.progress import shows_progress
from tclose.recoding.methods import check_method, keeps_together
from tclose.recoding.search import Search
from tclose.roles import Roles
from tclose.sources.examples import is_example

if TYPE_CHECKING:
    from tclose.sources import ReadOptions

USUAL_DIVISIONS = 2
MOST_DIVISIONS = 100


@shows_progress
def attack(
    table: object,
    roles: Roles | None = None,
    *,
    require: Wanted | Iterable[Requirement] | None = None,
    any: int | None = None,  # noqa: A002 - the word of the option
    attackers: Sequence[str] | None = None,
    gain: Number | None = None,
    divisions: int = USUAL_DIVISIONS,
    twice: bool = False,
    release: object | None = None,
    previous: Sequence[object] = (),
    hierarchies: Mapping[str, GivenHierarchy] | None = None,
    method: str = "auto",
    suppress: Number = 0,
    loss: str = "lm",
    levels: Mapping[str, Levels] | None = None,
    weights: Mapping[str, float] | None = None,
    intervals: bool = True,
    pruned: bool = False,
    against: str = "both",
    effort: int = 1,
    seed: int = 0,
    read: ReadOptions | None = None,
    memory: str | None = None,
    threads: int | None = None,
    temp: str | None = None,
    progress: Progress | None = None,
) -> Attack:
    """Return what attackers learn from a release of a table: one that is made as asked, or one that exists.

    The table is divided at random. One half is released, and every attacker concludes from the release what the
    sensitive values of people are: of those who are in it, and of those of the other half who look like one of them.
    What is right about both was learnt about the population; the difference was learnt about the people.

    Parameters
    ----------
    table, roles, require, any, hierarchies, method, suppress, loss, levels, weights, intervals
        As for :func:`tclose.anonymize`.
    attackers
        The attackers to try, by name; all that apply if left out. ``docs/attacks.md`` lists them.
    gain
        The largest gain allowed, such as ``"0.01"``: the share of all people about whom an attacker is right because
        they are in the release, the upper end of its interval of 95 %.
    divisions
        How often half of the table is released: the two halves of a random division take turns, then it is divided
        anew.
    twice
        Whether each half is released twice, for an attacker who has both releases.
    release
        A release that exists, of this tool or another; ``table`` is its original. Its cells are read as values,
        intervals, sets or masks, or by the hierarchies given. Nothing is divided, and nobody is compared with.
    previous
        Other releases about people of the table, for the attacker who has them too; with ``release`` only.
    pruned, against, effort, seed
        As for :func:`tclose.anonymize`; the seed also divides the table.
    read, memory, threads, temp, progress
        As for :func:`tclose.audit`.

    Examples
    --------
    >>> import tclose
    >>> found = tclose.attack("example:original-incidents", require={"k": 2}, hierarchies={"zone": "flat"})
    >>> found.divisions, [outcome.attacker for outcome in found.outcomes][:3]
    (2, ['reader', 'register', 'method'])
    """
    from tclose.engines.choosing import working_session

    check_method(method)
    limit = None if gain is None else share(gain, "gain")
    _check_asked(divisions, beside=bool(previous), made=release is None)
    chosen = attackers_named(
        attackers, collecting=twice or bool(previous), made=release is None, required=bool(require)
    )
    with working_session(table, read=read, memory=memory, threads=threads, temp=temp) as session:
        opened, roles = opened_with(session, table, roles, progress)
        check_attackable(roles)
        wanted = required_for_any(requirements(require), any)
        check_attributes(wanted, roles)
        search = chosen_search(
            loss,
            against,
            progress,
            whole_classes=roles.person is not None or keeps_together(method),
            pruned=pruned,
            effort=effort,
            threads=threads,
        )
        options = RecodingOptions(
            hierarchies or {}, levels or {}, weights or {}, share(suppress, "suppress"), intervals, whole_seed(seed)
        )
        subjects = subjects_of(session, opened, roles, search.tell)
        divided = 0 if release is not None else divisions
        plan = Plan(roles, tuple(wanted), options, method, search, chosen, divided, twice)
        releases = [_opened(session, each, roles, search) for each in (release, *previous) if each is not None]
        trial = tried_on(subjects, releases, plan) if releases else tried(subjects, plan)
        told = trial.attack(opened.label, plan, limit, opened.notes)
        return replace(told, few=0) if is_example(table) else told


def _check_asked(divisions: object, *, beside: bool, made: bool) -> None:
    """Refuse other releases beside one that is made here, and a number of divisions that is none."""
    if beside and made:
        raise InputError(
            "Other releases are attacked beside one that exists, and none is named.",
            field="release",
            hint=Hint("Name it: {}.", Ask("release")),
        )
    if not isinstance(divisions, int) or isinstance(divisions, bool) or not 1 <= divisions <= MOST_DIVISIONS:
        raise InputError(f"The number of divisions must be from 1 to {MOST_DIVISIONS}.", field="divisions")


def _opened(session: Engine, table: object, roles: Roles, search: Search) -> DistinctRows:
    """Return the distinct rows of a release, which has the columns of its original."""
    opened, own = opened_with(session, table, Roles(roles.quasi, roles.sensitive, together=roles.together))
    return subjects_of(session, opened, own, search.tell).distinct
