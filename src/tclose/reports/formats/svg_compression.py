"""Pictures inside a page, with fewer bytes: what all share stands once, and nothing is finer than a page shows."""

from __future__ import annotations

import re

from tclose.reports.charts.svg import SIDES, STYLE

_PICTURE = re.compile(r'<svg class="tclose-figure tclose-([a-z]+)".*?</svg>', re.DOTALL)
_TOLD_WHOLE = ("moves", "distributions", "distances")
"""Pictures whose descriptions say what each of their parts is."""
_HINT = re.compile(r"<title>[^<]*</title>")
"""The name of a part of a picture; that of the picture itself has an id."""
_TAG = re.compile(r"<[a-z]+ [^<>]*>")
_PLACE = re.compile(r' (?:[xy][12]?|width|height|d|points|transform)="[^"]*"')
_HUNDREDTHS = re.compile(r"\d+\.\d\d")
_NOUGHT = re.compile(r' [xy][12]?="0"')
_ANCHORED = re.compile(r'(?: class="([^"]*)")? text-anchor="(middle|end)"')
_PATTERNS = re.compile(r"<defs>(<pattern.*?</pattern>)</defs>\n", re.DOTALL)
_PATTERN = re.compile(r'<pattern id="tclose-[0-9a-f]+-([a-z]+)".*?</pattern>', re.DOTALL)
_CLASSES = re.compile(r' class="([^"]*)"')
_LINE = re.compile(r'<line x1="([^"]*)" y1="([^"]*)" x2="([^"]*)" y2="([^"]*)"')
_STYLE = re.compile(r"<style>\n\.tclose-figure.*?</style>", re.DOTALL)
_RULE = re.compile(r"\.(tc-[a-z-]+)")
SHORT = {name: f"c{at:x}" for at, name in enumerate(dict.fromkeys(_RULE.findall(STYLE)))}
"""Names of few letters for the classes of pictures."""
_FILLED = re.compile(r"url\(#tclose-[0-9a-f]+-")


def styled_once(page: str) -> str:
    """Return a page in which the first picture alone brings the rules of all: those of one hold for every picture."""
    rules = f"<style>{STYLE}</style>\n"
    before, found, behind = page.partition(rules)
    return f"{before}{found}{behind.replace(rules, '')}".strip() + "\n"


def leaner(page: str) -> str:
    """Return a page to print whose pictures look the same and take less: one hatching for all, tenths of a pixel."""
    brought: set[str] = set()

    def once(patterns: re.Match[str]) -> str:
        new = [each for each in _PATTERN.finditer(patterns[1]) if each[1] not in brought]
        brought.update(each[1] for each in new)
        kept = "".join(each[0].replace(_identity(each[0]), f"tclose-{each[1]}", 1) for each in new)
        return f"<defs>{kept}</defs>\n" if kept else ""

    def drawn(picture: re.Match[str]) -> str:
        svg = _HINT.sub("", picture[0]).replace("></rect>", "/>") if picture[1] in _TOLD_WHOLE else picture[0]
        return _TAG.sub(_shorter, _FILLED.sub("url(#tclose-", _PATTERNS.sub(once, svg)))

    return _STYLE.sub(_rules_renamed, _PICTURE.sub(drawn, page))


def _rules_renamed(rules: re.Match[str]) -> str:
    return _RULE.sub(lambda rule: f".{SHORT[rule[1]]}", rules[0])


def _identity(pattern: str) -> str:
    return pattern.partition('id="')[2].partition('"')[0]


def _shorter(tag: re.Match[str]) -> str:
    """Return a tag without places at nought, in tenths of a pixel, its side a class, classes of few letters."""
    placed = _PLACE.sub(lambda place: _HUNDREDTHS.sub(_tenths, place[0]), tag[0])
    straight = _LINE.sub(_stroke, placed)
    return _CLASSES.sub(_renamed, _ANCHORED.sub(_sided, _NOUGHT.sub("", straight)))


def _stroke(line: re.Match[str]) -> str:
    """Return a line as a path: along an axis where it is."""
    x1, y1, x2, y2 = line.groups()
    return f'<path d="M{x1},{y1}{f"H{x2}" if y1 == y2 else f"V{y2}" if x1 == x2 else f"L{x2},{y2}"}"'


def _renamed(classes: re.Match[str]) -> str:
    return f' class="{" ".join(SHORT.get(name, name) for name in classes[1].split())}"'


def _tenths(number: re.Match[str]) -> str:
    return f"{float(number[0]):.1f}".removesuffix(".0")


def _sided(anchored: re.Match[str]) -> str:
    return f' class="{" ".join(filter(None, (anchored[1], SIDES[anchored[2]])))}"'
