"""The JSON Schema of policy files, made of the declarations of options, by which editors complete ``tclose.toml``."""

from __future__ import annotations

from typing import Any

from tclose.policy.columns import DISTANCE_KEYS, RECODING_KEYS, ROLE_WORDS, model_keys
from tclose.policy.files import SECTIONS, keys_of
from tclose.policy.options import Option, Schema, declared
from tclose.policy.policy import VERSION, ColumnOptions
from tclose.policy.roles import DISTANCES, Roles

_THRESHOLD: Schema = {
    "anyOf": [{"type": ["number", "string"]}, {"type": "array", "items": {"type": ["number", "string"]}}],
}
_DISTANCE: dict[str, Schema] = {
    "distance": {"enum": list(DISTANCES)},
    "order": {"anyOf": [{"enum": ["value", "frequency"]}, {"type": "array"}]},
    "nulls": {"enum": ["error", "drop", "first", "last", "category"]},
    "round": {"type": ["number", "string"]},
    "hierarchy": {"type": ["string", "object"]},
}


def policy_schema() -> Schema:
    """Return the JSON Schema of a policy file, and of a policy as JSON."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A policy of tclose: what is asked of a table about people.",
        "type": "object",
        "additionalProperties": False,
        "properties": {section: _section(section) for section in SECTIONS},
    }


def _section(section: str) -> Schema:
    if section == "version":
        return {"const": VERSION, "description": "The version of the format."}
    if section == "columns":
        return {"type": "object", "additionalProperties": {"oneOf": [_column(role) for role in ROLE_WORDS]}}
    own: dict[str, dict[str, Schema]] = {
        "table": {
            "source": {"type": "string", "description": "The table: a path, relative to the file, or an address."}
        },
        "policy": {**_roles(), **dict.fromkeys(model_keys(), _THRESHOLD)},
    }
    one = _object({**own.get(section, {}), **{name: _described(each) for name, each in keys_of(section).items()}})
    if section != "table":
        return one
    several = {
        **one["properties"],
        "columns": {"type": "object"},
        "policy": {"type": "object"},
        "release": {"type": "object"},
    }
    return {"anyOf": [one, {"type": "array", "items": _object(several)}]}


def _roles() -> dict[str, Schema]:
    together = declared(Roles)["together"]
    return {
        "together": _described(together),
        "person": {"type": "string", "description": declared(Roles)["person"].help},
        "others": {
            "enum": ["publish", "remove", "refuse"], "description": "What becomes of columns that are not named."
        },
    }  # fmt: skip


def _column(role: str) -> Schema:
    properties: dict[str, Schema] = {"role": {"const": role}}
    if role == "quasi-identifier":
        options = declared(ColumnOptions)
        properties |= {key: _described(options[name]) for key, name in RECODING_KEYS.items()}
    if role == "sensitive":
        properties |= {key: _DISTANCE[key] for key in DISTANCE_KEYS}
        properties |= dict.fromkeys(model_keys(), _THRESHOLD)
    return {**_object(properties), "required": ["role"]}


def _described(each: Option) -> Schema:
    return {**each.kind.schema(), "description": each.help}


def _object(properties: dict[str, Any]) -> Schema:
    return {"type": "object", "additionalProperties": False, "properties": properties}
