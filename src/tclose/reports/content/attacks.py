"""An attack as a document: the verdict, the attackers side by side, and who is exposed."""

from __future__ import annotations

from collections.abc import Iterator

from tclose.attacks.findings import Attack, Exposure, Outcome
from tclose.reports.content.audits import notes
from tclose.reports.document import Cell, Document, Paragraph, Picture, Section, Table, outcome_of, section, table
from tclose.reports.phrases import attacks as words
from tclose.reports.phrases.cells import visible

_SHOWN_VALUES = 12


def attack_document(attack: Attack) -> Document:
    """Return an attack as a document."""
    from tclose.reports.charts.attacks import attack_picture

    return Document(
        kind="Attack on a release",
        title=words.title(attack),
        lead=(words.about(attack), words.finding(attack)),
        sections=(
            *section("", Picture("", "Attackers", lambda: attack_picture(attack)), *outcomes_tables(attack)),
            *section("", Paragraph(words.legend(attack))),
            *_exposed(attack),
            *section("", notes([*attack.notes, *filter(None, [words.gathered_sentence(attack)])])),
        ),
        verdict=outcome_of(attack.holds),
        confidential=words.confidential_words(attack),
        name=f"Attack on a release of {visible(attack.source)}",
    )


def outcomes_tables(attack: Attack) -> Iterator[Table]:
    """Give a table of the attackers for each sensitive attribute."""
    for name in attack.beyond:
        some = [outcome for outcome in attack.outcomes if outcome.attribute == name]
        caption = visible(name) if len(attack.beyond) > 1 else ""
        yield outcomes_table(some, caption, control=bool(attack.divisions))


def outcomes_table(outcomes: list[Outcome], caption: str = "", *, control: bool = True) -> Table:
    """Return the attackers of one attribute, a row each."""
    titles = [
        "attacker",
        "beyond t",
        "claims",
        "right",
        "said",
        *(["control", "gain", "from", "to"] if control else []),
    ]
    rows: list[list[str | Cell]] = []
    for each in outcomes:
        compared = [words.rate(each.control_right), *words.gain(each.gain)] if control else []
        rows.append(
            [
                Cell(each.attacker, "strong", about=words.described(each)),
                words.rate(each.beyond),
                words.rate(each.claims),
                words.rate(each.right),
                words.rate(each.said),
                *compared,
            ]
        )
    return table(titles, rows, caption=caption, name="Attackers")


def _exposed(attack: Attack) -> tuple[Section, ...]:
    worst = attack.worst
    if worst is None or not worst.claims:
        return ()
    title = f"Who is exposed to the attacker '{worst.attacker}'"
    told = attack.told(worst.by_value)
    values = sorted(told, key=_rank, reverse=True)[:_SHOWN_VALUES]
    of_values = f"{visible(worst.attribute)}: the {len(values)} most exposed" if len(values) < len(told) else ""
    return section(
        title,
        _table(visible(worst.attribute), values, of_values),
        _table("people in the class", attack.told(worst.by_size), ""),
    )


def _rank(exposure: Exposure) -> tuple[float, float]:
    rate = exposure.right / exposure.people if exposure.people else 0.0
    return (exposure.difference if exposure.difference is not None else -1.0, rate)


def _table(name: str, exposures: tuple[Exposure, ...] | list[Exposure], caption: str) -> Table:
    titles = (name, "people", "right claims", "control", "difference")
    return table(titles, [words.exposed(each) for each in exposures], caption=caption, name=f"Exposed by {name}")
