"""Text files as UTF-8: encodings, compression, line ends."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tclose.data.sources import text_files as text
from tclose.data.sources.text_files import Utf8File, as_utf8
from tclose.errors import SourceError

TEXT = "név,város\n1,Győr\n2,café €\n"
WESTERN = "name,town\n1,Köln\n2,café €\n"


def read(folder: Path, data: bytes, encoding: str | None = None, compression: str | None = None) -> Utf8File:
    path = folder / "t.txt"
    path.write_bytes(data)
    private = folder / "private"
    private.mkdir(exist_ok=True)
    return as_utf8(path, "'t.txt'", encoding=encoding, compression=compression, folder=private, most=10**9)


def content(file: Utf8File) -> str:
    return file.path.read_bytes().decode("utf-8")


def test_a_utf8_file_is_read_where_it_is(tmp_path: Path) -> None:
    file = read(tmp_path, TEXT.encode())
    assert file.path == tmp_path / "t.txt"
    assert file.notes == ()


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_tells_the_encoding(tmp_path: Path, encoding: str) -> None:
    file = read(tmp_path, TEXT.encode(encoding))
    assert content(file) == TEXT
    assert file.notes == ()


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark_is_recognised_and_noted(tmp_path: Path, encoding: str) -> None:
    file = read(tmp_path, WESTERN.encode(encoding))
    assert content(file) == WESTERN
    assert "read as UTF-16" in file.notes[0].text


def test_windows_1252_is_assumed_where_utf8_fails_and_noted(tmp_path: Path) -> None:
    file = read(tmp_path, WESTERN.encode("cp1252"))
    assert content(file) == WESTERN
    (note,) = file.notes
    assert (note.code, note.text) == ("encoding-guessed", "'t.txt' is not UTF-8; it was read as Windows-1252.")
    assert str(note.hint) == "If letters look wrong, name its encoding: ReadOptions(encoding=…)."


def test_latin1_is_assumed_where_windows_1252_fails(tmp_path: Path) -> None:
    file = read(tmp_path, b"a,b\n1,\x81\xe9\n")
    assert content(file) == "a,b\n1,\x81é\n"
    assert "Latin-1" in file.notes[0].text


def test_a_late_byte_that_is_not_utf8_changes_the_encoding_of_the_whole_file(tmp_path: Path) -> None:
    data = b"a,b\n" + b"1,x\n" * 600_000 + b"2,caf\xe9\n"
    assert content(read(tmp_path, data)).endswith("2,café\n")


def test_a_letter_cut_by_the_end_of_a_chunk_is_still_utf8(tmp_path: Path) -> None:
    data = b"x" * ((1 << 20) - 1) + "é".encode() + b"\n"
    file = read(tmp_path, data)
    assert file.path == tmp_path / "t.txt"


def test_a_declared_encoding_is_used(tmp_path: Path) -> None:
    file = read(tmp_path, "a\nŁódź\n".encode("iso-8859-2"), encoding="iso-8859-2")
    assert content(file) == "a\nŁódź\n"
    assert file.notes == ()


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "UTF8"])
def test_bytes_outside_the_declared_encoding_are_refused_with_their_line(tmp_path: Path, encoding: str) -> None:
    with pytest.raises(SourceError, match=r"'t\.txt', line 3: the bytes are not") as caught:
        read(tmp_path, b"a,b\n1,x\n2,CANARY\xe9\n", encoding=encoding)
    assert "CANARY" not in str(caught.value)


def test_a_text_cut_inside_a_letter_is_refused_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="line 2"):
        read(tmp_path, b"a\nCANARY\xc3", encoding="utf-8")


def test_an_unknown_encoding_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="'klingon'"):
        read(tmp_path, b"a\n", encoding="klingon")


@pytest.mark.parametrize("lines", [1, 2, 3, 174_762, 174_763, 262_143, 262_144])
@pytest.mark.parametrize("row", [b"1,2\n", b"10,20\n", b"1,2345\n"])
def test_a_byte_order_mark_where_files_were_joined_is_refused_with_its_line(
    tmp_path: Path, lines: int, row: bytes
) -> None:
    with pytest.raises(SourceError, match=f"line {lines + 1}: a byte order mark"):
        read(tmp_path, row * lines + b"\xef\xbb\xbfa,b\n" + row)


def test_a_byte_order_mark_inside_a_line_is_a_letter(tmp_path: Path) -> None:
    assert content(read(tmp_path, b"a,b\n1,\xef\xbb\xbf2\n")) == "a,b\n1,\ufeff2\n"


@pytest.mark.parametrize("encoding", ["cp037", "cp500", "cp273"])
def test_text_of_mainframes_is_refused_until_its_encoding_is_named(tmp_path: Path, encoding: str) -> None:
    text = "zip,age,illness\n" + "12345,42,flu\n" * 50
    with pytest.raises(SourceError, match="EBCDIC") as caught:
        read(tmp_path, text.encode(encoding))
    assert "12345" not in str(caught.value)
    assert content(read(tmp_path, text.encode(encoding), encoding=encoding)) == text


@pytest.mark.parametrize(("encoding", "text"), [("cp1252", "Übergröße ÄÖÜ äöüß"), ("cp1251", "Заболевание и возраст")])
def test_letters_above_ascii_are_not_taken_for_those_of_mainframes(tmp_path: Path, encoding: str, text: str) -> None:
    assert content(read(tmp_path, text.encode(encoding), encoding=encoding)) == text
    assert read(tmp_path, text.encode(encoding))


def test_a_nul_byte_is_refused_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="line 2: a NUL byte") as caught:
        read(tmp_path, b"a,b\n1,CANARY\x00\n")
    assert "CANARY" not in str(caught.value)


@pytest.mark.parametrize(
    ("compression", "compress"), [("gzip", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)]
)
def test_compressed_text_is_unpacked_whatever_its_encoding(tmp_path: Path, compression: str, compress) -> None:  # type: ignore[no-untyped-def]
    assert content(read(tmp_path, compress(WESTERN.encode("cp1252")), compression=compression)) == WESTERN


@pytest.mark.parametrize(
    ("compression", "compress"), [("gzip", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)]
)
def test_a_compressed_file_that_is_cut_short_is_refused(tmp_path: Path, compression: str, compress) -> None:  # type: ignore[no-untyped-def]
    data = compress(b"a,b\n" + bytes(range(32, 127)) * 3000)
    with pytest.raises(SourceError, match="damaged or cut short"):
        read(tmp_path, data[: len(data) // 2], compression=compression)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_regular_line_ends_are_left_alone(tmp_path: Path, end: str) -> None:
    assert read(tmp_path, f"a,b{end}1,x{end}".encode()).path == tmp_path / "t.txt"


@pytest.mark.parametrize("text", ["a\n1\r\n2\n", "a\r\n1\r2\n", "a\r1\n"])
def test_mixed_line_ends_are_made_regular(tmp_path: Path, text: str) -> None:
    assert content(read(tmp_path, text.encode())) == text.replace("\r\n", "\n").replace("\r", "\n")


@given(st.text("a\r\n", max_size=8), st.integers(1, 3), st.sampled_from(["utf-8", "utf-16-le"]))
def test_line_ends_are_alike_if_one_kind_is_found_however_the_text_is_cut(
    written: str, size: int, encoding: str
) -> None:
    data = written.encode(encoding)
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    with mock.patch.object(text, "_chunks", return_value=pieces):
        found = text._check(lambda: io.BytesIO(data), encoding, "t.txt")
    assert found == (len(set(re.findall("\r\n|\r|\n", written))) <= 1)


def test_a_nul_byte_of_a_later_chunk_is_refused_with_its_line(tmp_path: Path) -> None:
    for encoding in ("utf-8", "utf-16-le"):
        lines = "a,b\n" * 300_000
        with pytest.raises(SourceError, match="line 300001: a NUL byte"):
            read(tmp_path, f"{lines}1,\x00\n".encode(encoding), encoding=encoding)


def test_a_line_end_cut_by_the_end_of_a_chunk_is_one_line_end(tmp_path: Path) -> None:
    data = b"x" * ((1 << 20) - 1) + b"\r\n" + b"y\r\n"
    assert read(tmp_path, data).path == tmp_path / "t.txt"


def test_a_private_copy_can_be_read_by_its_owner_only(tmp_path: Path) -> None:
    assert read(tmp_path, TEXT.encode("utf-16")).path.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_cells_in_quotes_keep_their_line_ends(tmp_path: Path, end: str) -> None:
    lines = ["a,b", '1,"x\ry"', '2,"x\ny"', '3,"x\r\ny"', ""]
    assert content(read(tmp_path, end.join(lines).encode())) == "\n".join(lines)


def test_only_line_ends_outside_quotes_are_made_alike(tmp_path: Path) -> None:
    file = read(tmp_path, b'a,b\r\n1,"x\r\ny"\n2,"say ""\r"""\r3,z\r\n')
    assert content(file) == 'a,b\n1,"x\r\ny"\n2,"say ""\r"""\n3,z\n'


def test_a_quote_that_is_never_closed_leaves_all_line_ends_alike(tmp_path: Path) -> None:
    assert content(read(tmp_path, b'a,b\r\n1,5" pipe\n2,x\r3,y\n')) == 'a,b\n1,5" pipe\n2,x\n3,y\n'
