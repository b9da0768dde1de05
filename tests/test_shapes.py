"""What values look like: numbers of people by their check digits, keys, names, bands, months, codes among numbers."""

import random

import pytest

from tclose.policy.profiling.value_shapes import _CHECKS, Shape, shape_of

PUBLISHED = {
    "account numbers (IBAN)": "GB82WEST12345698765432",
    "NHS numbers": "9434765919",
    "citizen service numbers (BSN)": "111222333",
    "tax numbers (CPF)": "52998224725",
    "tax numbers (Steuer-ID)": "86095742719",
    "insurance numbers (AHV)": "7569217076985",
    "social security numbers (NIR)": "255081416802538",
    "identity numbers (DNI, NIE)": "12345678Z",
    "identity numbers (PESEL)": "44051401359",
    "numbers with a check digit, as cards and people have": "79927398713",
}
"""A number that each scheme's own description, or the register, publishes as an example."""


@pytest.mark.parametrize("what", _CHECKS)
def test_a_published_number_is_right_and_with_any_digit_changed_it_is_not(what):
    """What a check digit is for: all of these schemes promise to find every single wrong digit."""
    right, number = _CHECKS[what], PUBLISHED[what]
    assert right(number)
    changed = [
        number[:at] + other + number[at + 1 :]
        for at, digit in enumerate(number)
        if digit.isdigit()
        for other in "0123456789"
        if other != digit
    ]
    assert not any(right(each) for each in changed)


def luhn(body):
    total = sum(int(digit) if at % 2 else sum(divmod(2 * int(digit), 10)) for at, digit in enumerate(body[::-1]))
    return f"{body}{-total % 10}"


def test_numbers_with_check_digits_are_told_from_numbers_without():
    draw = random.Random(1)
    bodies = [f"{draw.randrange(10**9, 10**10)}" for _ in range(200)]
    found = shape_of([luhn(body) for body in bodies], every=True)
    assert found.checked
    assert "check digit" in found.of_people
    assert not shape_of([f"{body}{draw.randrange(10)}" for body in bodies], every=True).checked
    assert not shape_of([luhn(body) for body in bodies[:5]], every=True).checked


OF_PEOPLE = {
    "e-mail addresses": lambda at: f"p{at}@post.example",
    "telephone numbers": lambda at: f"{['+49 30 123', '(030) 55 12', '555-123-4', '0041 44 123 4'][at % 4]}{at}",
    "random keys (UUID)": lambda at: f"3f2504e0-4f89-41d3-9a0c-0305e82c3{at}",
    "social security numbers": lambda at: f"999-12-3{at}",
    "addresses of devices": lambda at: f"192.168.7.{at}",
    "names of people": lambda at: (
        f"{['Anna', 'Björn', 'José', 'Maria'][at % 4]} {chr(65 + at % 26)}{'aeiou'[at % 5]}{'lmnr'[at % 4]}er"
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", OF_PEOPLE)
def test_values_that_belong_to_one_person_each_are_recognised(what):
    assert shape_of(list({OF_PEOPLE[what](at): None for at in range(100, 180)}), every=True).of_people == what


NOT_OF_PEOPLE = {
    "towns": "London Paris Berlin Madrid Rome Vienna Prague Oslo Bern Florence Victoria Warsaw".split(),  # noqa: SIM905
    "drugs": "Aspirin Ibuprofen Paracetamol Codeine Morphine Insulin Heparin Digoxin Atropine Warfarin".split(),  # noqa: SIM905
    "codes of places": [f"{at}" for at in range(10_115, 10_200)],
    "codes of illnesses": [f"{letter}{at}.{at % 10}" for letter in "AEIJ" for at in range(10, 20)],
    "days": [f"{day:02}/{month:02}/2020" for day in range(1, 28) for month in (1, 5)],
    "amounts": [f"{at * 7}.50" for at in range(40)],
    "bands": ["0-9", "10-19", "20-29"],
}


@pytest.mark.parametrize("what", NOT_OF_PEOPLE)
def test_other_values_are_not_taken_for_those_of_people(what):
    assert shape_of(NOT_OF_PEOPLE[what], every=True).of_people is None


def test_keys_have_one_prefix_and_as_many_digits():
    keys = [f"KB-{at:05}" for at in range(50)]
    assert shape_of(keys, every=True).key
    assert not shape_of([*keys, *(f"word{'x' * at}" for at in range(9))], every=True).key
    assert not shape_of([f"KB-{10 ** (at % 6)}{at}" for at in range(50)], every=True).key


def test_kinds_of_dates_and_bands():
    assert shape_of(["2013-05", "2013-12"], every=True).kind == "months"
    assert shape_of(["2013-05", "2013-13"], every=True).kind is None
    assert shape_of(["2013", "2013-05", "2013-05-11"], every=True).kind == "partial dates"
    assert shape_of(["2013-05-11", "2014-05-11T10:30"], every=True).kind == "dates"
    assert shape_of(["1040", "2010"], every=True).kind is None
    assert shape_of(["<5", "5-9"], every=True).kind == "bands"
    assert shape_of(["<5", "5-9"], every=False).kind is None


def test_codes_among_numbers_are_few_and_short():
    numbers = [str(at) for at in range(9)]
    assert shape_of([*numbers, "N"], every=True).codes == ("N",)
    assert shape_of([*numbers, ".", "NA"], every=True).codes == (".", "NA")
    for texts in (numbers, [*numbers, *"ABCD"], [*numbers, "unknown"], ["1", "N"]):
        assert shape_of(texts, every=True).codes == ()
    assert shape_of([*numbers, "N"], every=False).codes == ()


def test_of_nothing_nothing_is_said():
    assert shape_of(["", " "], every=True) == Shape()
