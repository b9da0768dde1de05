"""How pictures look: one set of rules for screen and paper, light and dark, that touches nothing but pictures."""

from __future__ import annotations

from collections.abc import Mapping

_FONT = 'system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Liberation Sans",Arial,sans-serif'

_SHAPES = {
    "": f"max-width:100%;height:auto;direction:ltr;font:13px/1.3 {_FONT};letter-spacing:normal",
    "text": "stroke:none;font-variant-numeric:tabular-nums;white-space:pre;unicode-bidi:isolate",
    ".tc-name": "font-size:17px;font-weight:600",
    ".tc-small": "font-size:11px",
    ".tc-strong": "font-weight:600",
    ".tc-halo": "paint-order:stroke;stroke-width:4.5px;stroke-linejoin:round",
    ".tc-stay": "stroke-width:1",
    ".tc-leave": "stroke-width:1",
    ".tc-hole": "fill:none;stroke-width:1.6;stroke-dasharray:5 3",
    ".tc-slot": "fill:none;stroke-width:1;stroke-dasharray:2 3",
    ".tc-axis": "fill:none;stroke-width:1.4",
    ".tc-grid": "fill:none;stroke-width:1",
    ".tc-move": "fill:none;stroke-width:1.8",
    ".tc-way": "fill:none",
    ".tc-under": "fill:none;stroke-width:5",
    ".tc-class": "fill:none;stroke-width:2.6;stroke-linejoin:round",
    ".tc-table": "fill:none;stroke-width:2;stroke-dasharray:6 4",
    ".tc-area": "stroke:none",
    ".tc-strip": "fill:none;stroke-width:.75",
    ".tc-branch": "fill:none;stroke-width:1",
    ".tc-up": "fill:none",
    ".tc-down": "fill:none;stroke-dasharray:7 4",
    ".tc-node": "stroke-width:1",
    ".tc-hatch-line": "stroke-width:2.4",
    ".tc-back-line": "stroke-width:2",
}

SIDES = {"middle": "tc-mid", "end": "tc-end"}
"""A class for the side of a text that stands at its place, where an attribute for each would be long."""
_SHAPES |= {f".{name}": f"text-anchor:{side}" for side, name in SIDES.items()}

_LIGHT = {
    "paper": "#ffffff",
    "ink": "#1b1f24",
    "soft": "#57606a",
    "rule": "#c9d1d9",
    "stay": "#4a6fa5",
    "move": "#9a3f0b",
    "tint": "#fbe6d6",
    "down": "#1f5e8c",
    "cool": "#dcebf7",
}
_DARK = {
    "paper": "#14171b",
    "ink": "#e8ebee",
    "soft": "#a9b2bb",
    "rule": "#3d444d",
    "stay": "#6f9bd8",
    "move": "#f2a56b",
    "tint": "#4a2c17",
    "down": "#86c1ec",
    "cool": "#17344a",
}

_PAINTED = {
    "text": "fill:{ink}",
    ".tc-soft": "fill:{soft}",
    ".tc-told": "fill:{move}",
    ".tc-sunk": "fill:{down}",
    ".tc-halo": "stroke:{paper}",
    ".tc-paper": "fill:{paper}",
    ".tc-stay": "fill:{stay};stroke:{ink}",
    ".tc-leave": "stroke:{ink}",
    ".tc-hole": "stroke:{ink}",
    ".tc-slot": "stroke:{soft}",
    ".tc-axis": "stroke:{ink}",
    ".tc-grid": "stroke:{rule}",
    ".tc-move": "stroke:{move}",
    ".tc-way": "stroke:{move}",
    ".tc-under": "stroke:{paper}",
    ".tc-head": "fill:{move}",
    ".tc-dot": "fill:{ink}",
    ".tc-class": "stroke:{ink}",
    ".tc-table": "stroke:{down}",
    ".tc-strip": "stroke:{paper}",
    ".tc-branch": "stroke:{soft}",
    ".tc-up": "stroke:{move}",
    ".tc-down": "stroke:{down}",
    ".tc-down-head": "fill:{down}",
    ".tc-node": "fill:{paper};stroke:{soft}",
    ".tc-hatch-ground": "fill:{tint}",
    ".tc-hatch-line": "stroke:{move}",
    ".tc-back-ground": "fill:{cool}",
    ".tc-back-line": "stroke:{down}",
}


def _rules(declared: Mapping[str, str]) -> str:
    return "\n".join(
        f".tclose-figure{' ' + name if name else ''}{{{declarations}}}" for name, declarations in declared.items()
    )


def _painted(colours: Mapping[str, str]) -> str:
    return _rules({name: declarations.format(**colours) for name, declarations in _PAINTED.items()})


def _under(place: str, rules: str) -> str:
    return "\n".join(f"{place} {line}" for line in rules.splitlines())


NOTEBOOK_STYLE = "\n".join(
    (
        "@media screen{",
        _under(':is([data-jp-theme-light="true"],.vscode-light)', _painted(_LIGHT)),
        _under(':is([data-jp-theme-light="false"],.vscode-dark)', _painted(_DARK)),
        "}",
    )
)
"""What makes pictures follow the theme of a notebook where it is not that of the machine."""

STYLE = "\n".join(
    (
        "",
        _rules(_SHAPES),
        _painted(_LIGHT),
        "@media screen and (prefers-color-scheme:dark){",
        _painted(_DARK),
        "}",
        "@media print{.tclose-figure,.tclose-figure *{print-color-adjust:exact;-webkit-print-color-adjust:exact}}",
        "",
    )
)
"""The rules, literal colours only: tools that know neither variables nor media queries draw the light picture."""
