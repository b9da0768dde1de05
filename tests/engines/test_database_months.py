"""The second month in a database: a recipe is applied there, or the table is refused in a sentence."""

from __future__ import annotations

from decimal import Decimal

from anonymizing.months import check_month, months
from tclose.anonymization.apply import apply
from tclose.anonymization.output import held
from tclose.errors import InputError


def test_no_second_month_of_a_database_ends_in_an_internal_error(put):
    applied = 0
    for seed, recipe, table in months(range(40)):
        columns = {
            name: [str(value) if isinstance(value, Decimal) else value for value in values]
            for name, values in table.to_pydict().items()
        }
        address = put(f"month{seed}", columns)
        try:
            with held(address, None) as source:
                release = apply(source, recipe, suppress="1")
                if release.holds:
                    applied += 1
                    check_month(recipe, table, release, release.to_arrow().to_pylist())
        except InputError:
            continue
    assert applied > 5
