"""The report as a dossier: its purpose and people, its glossary, and a template of one's own."""

import re

import pytest

import tclose
from tclose.errors import InputError
from tclose.policy.files import parse_policy
from tclose.policy.parts import About
from tclose.policy.writing import policy_text

ABOUT = About(
    purpose="Research on <b>wages</b>", recipient="University", author="Ann Author", approver="Bo Approver",
    review="2027-11-01",
)  # fmt: skip


@pytest.fixture(scope="module")
def audit():
    return tclose.audit("example:salary", require={"k": 3, "t": "0.3"})


def test_purpose_people_and_review_stand_in_the_report_and_on_the_lines_to_sign(audit):
    page = audit.to_html(about=ABOUT)
    assert "Research on &lt;b&gt;wages&lt;/b&gt;" in page
    assert "Ann Author and Bo Approver. The last page has lines for both." in page
    for line in ("Author: Ann Author", "Approver: Bo Approver", "To be reviewed on 2027-11-01"):
        assert f"{line}</div>" in page
    plain = audit.to_html()
    assert 'id="purpose"' not in plain
    assert "Author: name and position</div>" in plain


def test_models_have_their_titles_and_words_their_meanings(audit):
    page = audit.to_html()
    assert "t-closeness: t ≤ 0.3" in page
    assert "a column that others may know of a person" in page


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[report]\npurpose = "x"\nwhom = "y"', "whom"),
        ("[report]\npurpose = 3", "must be a text"),
        (f'[report]\nauthor = "{"x" * 601}"', "at most 600"),
    ],
)
def test_what_a_policy_says_of_its_report_is_checked(tmp_path, text, message):
    with pytest.raises(InputError, match=message):
        parse_policy(text, tmp_path / "tclose.toml")


def test_a_policy_brings_purpose_and_people_back(tmp_path):
    text = '[report]\npurpose = "a \\"quoted\\" purpose"\nreview = 2027-11-01\n'
    policy = parse_policy(text, tmp_path / "tclose.toml")
    assert policy.about == About(purpose='a "quoted" purpose', review="2027-11-01")
    assert parse_policy(policy_text(policy), tmp_path / "tclose.toml").about == policy.about


def test_a_template_of_ones_own_is_escaped_and_reaches_nothing_else(audit, tmp_path):
    own = tmp_path / "own.html"
    own.write_text("<h1>{{ report.title }}</h1>{% for s in report.sections %}<p>{{ s.title }}</p>{% endfor %}")
    page = audit.to_html(template=own)
    assert page.startswith("<h1>The example &#39;salary&#39; does not meet")
    assert "<p>Glossary</p>" in page
    for wrong in ("{{ nothing }}", "{% for %}", "{{ report.__class__.__mro__ }}", "{% include 'there.html' %}"):
        own.write_text(wrong)
        with pytest.raises(InputError, match="It is one of Jinja"):
            audit.to_html(template=own)
    with pytest.raises(InputError, match="cannot be read"):
        audit.to_html(template=tmp_path / "none.html")


def test_the_command_line_takes_people_from_the_policy_and_a_template(tmp_path, capsys):
    from tclose.cli import outcome

    policy = tmp_path / "tclose.toml"
    policy.write_text(
        '[table]\nsource = "example:salary"\n[columns]\nzip = {role = "quasi-identifier"}\n'
        'age = {role = "quasi-identifier", hierarchy = "flat"}\nsalary = {role = "sensitive", distance = "ordered"}\n'
        'disease = {role = "publish"}\n[policy]\nk = 3\n[report]\nrecipient = "The Recipient"\n'
    )
    own = tmp_path / "own.html"
    own.write_text("{{ report.name }}: {{ report.sections[1].blocks[0].rows[0][1][0].text }}")
    page = tmp_path / "audit.html"
    assert outcome(["audit", "--policy", str(policy), "-o", str(page)]) == 0
    assert "The Recipient" in page.read_text(encoding="utf-8")
    report = tmp_path / "release.html"
    done = outcome(["anonymize", "--policy", str(policy), "--report", str(report), "--template", str(own)])
    assert (done, capsys.readouterr().err.count("Error")) == (0, 0)
    assert report.read_text(encoding="utf-8").strip() == "Release of the example &#39;salary&#39;: The Recipient"


def test_a_notebook_shows_a_release_with_its_figures_before_and_after():
    release = tclose.anonymize("example:salary", require={"k": 3, "t": "0.45"}, hierarchies={"age": "flat"})
    shown = release._repr_html_()
    assert shown.count("What was required") == 2  # the label and the caption of one table
    assert "Before and after" in shown
    assert "4/9" in shown
    assert shown.count('class="tclose-figure tclose-distances"') == 2
    assert "Detail lost, by column" in shown
    assert len(shown) < 150_000


def test_a_report_names_models_by_their_titles_and_neither_calls_nor_options():
    columns = {"zip": [1, 1, 2, 2] * 5, "pay": [f"{at % 5}" for at in range(19)] + ["NA"], "email": list("abab") * 5}
    page = tclose.audit(columns, tclose.Roles(["zip"], ["pay"], ["email"]), require={"k": 2}).to_html()
    assert "Taken as nominal, because it holds text." in page
    assert "Rows are counted, not people" in page
    for words in ("pay:ordered", "Roles(", "ReadOptions", "--", "with_people", "prosecutor_", "entropy_l"):
        assert words not in re.sub(r"<style>.*?</style>|class=\"[^\"]*\"", "", page, flags=re.DOTALL), words


def test_words_of_a_table_are_kept_whole_and_only_endless_ones_may_be_broken():
    name = "an_endless_name_of_a_column_without_blanks"
    page = tclose.audit({"zip": [1, 1], name: ["a", "b"]}, tclose.Roles(["zip"], [name])).to_html()
    assert '<th scope="row">(α,k)-anonymity</th>' in page
    assert "an_<wbr>endless_<wbr>name_" in page


def test_of_many_attributes_the_two_that_are_told_most_of_are_drawn_value_by_value():
    rows = 240
    columns = {"zip": [at % 6 for at in range(rows)]}
    columns |= {f"s{of}": [at * (of + 3) % 41 if at % 6 < of else at % 41 for at in range(rows)] for of in range(8)}
    roles = tclose.Roles(["zip"], {f"s{of}": tclose.Ordered() for of in range(8)})
    audit = tclose.audit(columns, roles, require={"k": 5, "t": "0.2"})
    largest = sorted((f"s{of}" for of in range(8)), key=lambda name: audit[name].t, reverse=True)[:2]
    page = audit.to_html()
    drawn = re.findall(r'aria-label="Moves in the worst class of (s\d)"', page)
    assert sorted(drawn) == sorted(largest)
    assert page.count("drawn value by value for the attributes with the largest t:") == 6
    assert page.count("tclose-figure tclose-distances") == 6
    assert len(page.encode()) < 150_000
    large = re.findall(r'<svg class="tclose-figure tclose-(?:moves|distributions)".*?</svg>', page, re.DOTALL)
    assert (len(large), sum("<title>" in picture for picture in large)) == (4, 0)
