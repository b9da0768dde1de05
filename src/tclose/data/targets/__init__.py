"""Where results go: files, folders and streams, checked before the work and put in place together after it."""

from tclose.data.targets.commit import committing, write_text
from tclose.data.targets.private_folders import PrivateFolder, private_folder
from tclose.data.targets.target import (
    FileTarget,
    FolderTarget,
    StreamTarget,
    Target,
    check_apart,
    is_standard_output,
    refused_by_system,
    target_at,
)

__all__ = [
    "FileTarget",
    "FolderTarget",
    "PrivateFolder",
    "StreamTarget",
    "Target",
    "check_apart",
    "committing",
    "is_standard_output",
    "private_folder",
    "refused_by_system",
    "target_at",
    "write_text",
]
