"""The sentences of what someone learns who knows facts about a person."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from tclose.auditing.facts import Candidates, FactFigure, Facts, Linked, Power
from tclose.auditing.verdicts import Outcome
from tclose.errors import Ask, Hint
from tclose.reports.phrases.audits import qualified_words
from tclose.reports.phrases.cells import key_text, visible
from tclose.reports.phrases.numbers import counted, joined, percent, units


def database_sentence(found: Facts, verdict: Outcome | None, *, withheld: bool) -> str:
    """Return the verdict on tables about the same people, in words; ``withheld`` if they hold withheld columns."""
    of = f"{counted(len(found.tables), 'table')} of {units(found.people, 'people')}"
    if withheld and all(each.holds for each in found.verdicts):
        return f"{of} hold columns that their policy withholds."
    if not found.verdicts:
        return f"{of}: nothing was required, so nothing is judged."
    failing = [each.holds for each in found.verdicts].count(False)
    if not failing:
        return qualified_words(f"{of} meet every requirement", verdict)
    return f"{of} miss {failing} of {counted(len(found.verdicts), 'requirement')}."


def facts_sentence(found: Facts) -> str:
    """Return what is known, and of what tables."""
    counting = "and how often each is true of them" if found.repeated else "but not how often each is true of them"
    tables = " ".join(_table_words(found, at) for at in range(len(found.tables)))
    known = (
        f"These figures are for someone who knows the traits of a person and some of their facts, {counting}."
    )  # fmt: skip
    largest = ""
    if found.asked > found.largest:
        largest = f" Nobody has more than {counted(found.largest, 'fact')}, so that is all there is to know."
    return f"{known} {tables}{largest}"


def _table_words(found: Facts, at: int) -> str:
    table = found.tables[at]
    traits = f"Traits are {joined(table.traits)}" if table.traits else "There are no traits"
    facts = f"the facts are the rows by {joined(table.facts)}" if table.facts else "there are no facts"
    where = f" in {visible(table.label)}" if len(found.tables) > 1 else ""
    return f"{traits}{where}; {facts}."


def linked_sentence(linked: Sequence[Linked]) -> str:
    """Return how many people a few of their rows tell apart; empty where that was not counted."""
    told = [
        f"{'at least ' * each.at_least}{each.alone:,} of {units(each.people, 'people')} "
        f"({percent(Fraction(each.alone, each.people))})"
        for each in linked
    ]
    if not told:
        return ""
    found = [f"One row of a person, known beside their traits, singles out {told[0]}"]
    found += [f"two rows single out {more}" for more in told[1:]]
    return f"{'; '.join(found)}. {Hint('{} counts them, and judges by it.', Ask('facts', 2))}"


def alone_words(number: int, found: Facts) -> str:
    """Return how many people, and which share of all."""
    return f"{number:,} ({percent(Fraction(number, found.people))})" if number else "0"


def candidates_words(worst: Candidates) -> str:
    """Return what is known of candidates: their traits, then each fact."""
    if not worst.facts:
        return key_text(worst.base) if worst.base else "everybody"
    facts = [key_text(fact.cells) for fact in worst.facts]
    if "withheld" in (*facts, key_text(worst.base)):
        return "withheld"
    return " + ".join([*([key_text(worst.base)] if worst.base else []), *facts])


def worst_words(figure: FactFigure) -> str:
    """Return the candidates that decide a figure, how many they are, and how many sets share it."""
    about = [units(figure.worst.size, "people"), *([f"first of {figure.tied:,}"] if figure.tied > 1 else [])]
    return f"{', '.join(about)}: {candidates_words(figure.worst)}"


def drawn_sentence(power: Power) -> str:
    """Return what drawn people say of everybody; empty where everybody's sets were counted."""
    drawn = power.drawn
    if drawn is None:
        return ""
    most = "" if drawn.high is None else f" and at most {percent(drawn.high)}"
    return (
        f"There are too many sets of {power.known:,} facts to count. Of {units(drawn.people, 'people')} drawn at "
        f"random, {drawn.fewer:,} have too few candidates. With a confidence of 95 %, at least "
        f"{percent(drawn.low)}{most} of all people have. The figures of this row are the worst that was found; "
        "others may be worse."
    )


def drivers_sentence(found: Facts) -> str:
    """Return which column of facts sets most people apart; empty where that was not counted, or nobody is alone."""
    if not found.drivers or not found.last.alone:
        return ""
    told = [f"{alone:,} without {visible(name)}" for name, alone in sorted(found.drivers.items(), key=lambda e: e[1])]
    who = (
        f"{units(found.last.alone, 'people')} {'is' if found.last.alone == 1 else 'are'} the only candidate of some set"
    )
    return f"{who}; it would be {joined_texts(told)}."


def joined_texts(texts: list[str]) -> str:
    """Return phrases as a list in a sentence."""
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"
