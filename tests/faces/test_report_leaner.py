"""Pictures in a report take fewer bytes than by themselves, and show the same."""

import re
import xml.etree.ElementTree as ET

import tclose
from tclose.reports.charts.audits import Distances, distances_picture
from tclose.reports.charts.bars import PAIRS_WIDTH as WIDTH
from tclose.reports.charts.bars import Compared, Group, groups_drawn
from tclose.reports.charts.svg import SMALL, STYLE, text_width
from tclose.reports.content.distributions import distances_of
from tclose.reports.document import Cell, table
from tclose.reports.formats.svg_compression import SHORT, leaner

MANY = {
    "age": [at % 40 + 20 for at in range(400)],
    **{
        f"answer {name}": ["abcdefgh"[(at * step) % 8] for at in range(400)]
        for name, step in zip("stuvwxyz", range(1, 9), strict=True)
    },
}
TEXT = re.compile(r">([^<>]+)<")


def many():
    roles = tclose.Roles(["age"], {name: tclose.Nominal() for name in MANY if name != "age"})
    return tclose.anonymize(MANY, roles, require={"k": 5, "t": "0.5"})


def test_hatching_and_rules_stand_once_in_a_report_and_every_filling_is_there():
    html = many().to_html()
    brought = re.findall(r'<pattern id="([^"]+)"', html)
    assert len(brought) == len(set(brought))
    assert set(re.findall(r"url\(#([^)]+)\)", html)) <= set(brought)
    assert html.count(".tclose-figure text{stroke:none") == 1


def test_every_word_and_every_place_of_a_picture_is_kept_to_a_tenth_of_a_pixel():
    histogram = distances_of(tclose.audit("example:salary", require={"t": "0.3"}), "salary")
    svg = distances_picture(Distances("salary", histogram, "the table", "t ≤ 0.3", "Told."))
    inline = svg.replace(' xmlns="http://www.w3.org/2000/svg"', "")
    lean = leaner(inline)
    assert len(lean) < len(inline)
    drop = re.compile(r"<(style|title|desc).*?</\1>", re.DOTALL)
    assert TEXT.findall(drop.sub("", lean)) == TEXT.findall(drop.sub("", inline))
    before, after = (
        [(one.get("x", "0"), one.get("y", "0")) for one in ET.fromstring(text).iter() if one.tag in ("text", "rect")]
        for text in (inline, lean)
    )
    assert len(before) == len(after) > 20
    assert all(
        abs(float(a) - float(b)) <= 0.0501
        for one, other in zip(before, after, strict=True)
        for a, b in zip(one, other, strict=True)
    )


def test_classes_of_few_letters_are_told_apart():
    assert len(set(SHORT.values())) == len(SHORT) == len(set(re.findall(r"\.(tc-[a-z-]+)", STYLE)))


def test_no_link_of_a_report_leads_nowhere():
    html = many().to_html()
    assert 'href="#"' not in html
    assert 'id=""' not in html


def test_columns_that_hold_nothing_are_not_drawn_and_the_name_of_a_row_stays_its_name():
    given = table(["", "of", "a", "b"], [["", "x", "", Cell("", share=0.5)], ["", "y", "", "1"]], names=1)
    shown = given.filled
    assert [title.text for title in shown.titles] == ["of", "b"]
    assert shown.names == 0


def test_the_number_of_the_longest_bar_stands_behind_it_and_inside_the_picture():
    told = "91.2 % by guessing"
    parts, _ = groups_drawn([Group("country", (Compared(0.9, told, None), Compared(0.2, "x", None)))], 0, 0.9, "id")
    bar = re.search(r'<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)"', parts[1])
    place = float(re.search(r'<text x="([\d.]+)"', parts[2])[1])
    assert place > float(bar[1]) + float(bar[2])
    assert place + text_width(told, SMALL) <= WIDTH


def test_a_report_names_columns_left_out_and_no_argument_or_option():
    release = tclose.anonymize(MANY, tclose.Roles(["age"], {"answer s": tclose.Nominal()}), require={"k": 5})
    assert "publish=" in "".join(map(str, release.notes))
    html = release.to_html()
    assert "Left out, because they have no role: &#39;answer t&#39;" in html
    assert not re.search(r"publish=|--publish", html)
