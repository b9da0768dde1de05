"""Presets: names for requirements that rules ask for, to be read and changed; never a legal promise."""

from tclose.presets.catalogue import PRESETS, Applied, Check, Preset, preset_named, with_preset

__all__ = ["PRESETS", "Applied", "Check", "Preset", "preset_named", "with_preset"]
