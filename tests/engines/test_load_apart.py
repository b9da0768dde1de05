"""Readers of foreign files that crash, hang or take all memory end in words, not in the end of the process."""

import datetime as dt
import math
import os
import signal
import threading
import time
import zipfile
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tclose
from tclose.engines.duckdb import package_files as apart
from tclose.engines.duckdb.connection import connect, disconnect, private_folder
from tclose.engines.duckdb.package_reader import answer_of, line_of
from tclose.errors import SourceError

_SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
_BOOK = "application/vnd.openxmlformats-officedocument.spreadsheetml"
PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{_TYPES}"><Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" '
    f'ContentType="{_BOOK}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" '
    f'ContentType="{_BOOK}.worksheet+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_RELATIONS}"><Relationship Id="r1" Type="{_OFFICE}/officeDocument" '
    'Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{_SHEET}" xmlns:r="{_OFFICE}"><sheets><sheet name="S" sheetId="1" '
    'r:id="r1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_RELATIONS}"><Relationship Id="r1" '
    f'Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
}


def workbook(path, far="XFD1048576"):
    """Write a workbook of two cells, far apart."""
    rows = [("A1", 1), (far, int(far.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")))]
    cells = "".join(f'<row r="{row}"><c r="{cell}"><v>7</v></c></row>' for cell, row in rows)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in PARTS.items():
            file.writestr(name, text)
        sheet = f'<worksheet xmlns="{_SHEET}"><sheetData>{cells}</sheetData></worksheet>'
        file.writestr("xl/worksheets/sheet1.xml", sheet)
    return path


@pytest.fixture
def connection():
    found = connect(memory="200MB")
    yield found
    disconnect(found)


def test_a_workbook_of_two_cells_far_apart_is_refused(tmp_path):
    pytest.importorskip("python_calamine")
    with pytest.raises(SourceError, match=r"far.xlsx.*needed more than the 1,024 MiB"):
        tclose.profile(str(workbook(tmp_path / "far.xlsx")), memory="500MB")
    near = tclose.profile(str(workbook(tmp_path / "near.xlsx", "C3")), memory="500MB")
    assert [column.name for column in near.columns] == ["7", "column_2", "column_3"]


HOSTILE = {
    "crashes": "import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)",
    "aborts": "import os\nos.abort()",
    "takes all memory": "def read(*_, **__):\n    return [0] * 10**12",
    "exits": "def read(*_, **__):\n    raise SystemExit(0)",
    "is not there": "raise ImportError",
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_reader_that_ends_badly_is_told(tmp_path, monkeypatch, connection, what):
    (tmp_path / "hostile.py").write_text(HOSTILE[what])
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(SourceError, match="crashed, or needed more"):
        list(apart.answers(connection, "it", package="hostile", path="x", reader="read"))
    assert not list(private_folder(connection).glob("answers*"))


@pytest.mark.parametrize(
    "code", ["raise ValueError('Zebulon')", "return [0] * 10", "return {'a': {1, 2}}.keys() + 1, None"]
)
def test_a_reader_that_refuses_a_file_is_believed(tmp_path, monkeypatch, connection, code):
    (tmp_path / "refusing.py").write_text(f"def read(*_, **__):\n    {code}")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(apart.DamagedError):
        list(apart.answers(connection, "it", package="refusing", path="x", reader="read"))


def test_a_reader_that_does_not_end_is_ended(tmp_path, monkeypatch, connection):
    (tmp_path / "endless.py").write_text("import time\ntime.sleep(1000)")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(apart, "SECONDS", 1)
    with pytest.raises(SourceError, match="did not end within 1 seconds"):
        list(apart.answers(connection, "it", package="endless", path="x", reader="read"))


def test_a_reader_ends_with_whoever_asked_it(tmp_path, monkeypatch, connection):
    (tmp_path / "noted.py").write_text(
        f"import os, time\nopen({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()) + '.')\ntime.sleep(1000)"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    asking = threading.Thread(target=lambda: interrupted_soon(tmp_path), daemon=True)
    asking.start()
    with pytest.raises(KeyboardInterrupt):
        list(apart.answers(connection, "it", package="noted", path="x", reader="read"))
    asking.join()
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text().rstrip(".")), 0)


def interrupted_soon(folder):
    """Interrupt this process as soon as the reader is at work."""
    while not (folder / "pid").exists() or not (folder / "pid").read_text().endswith("."):
        time.sleep(0.02)
    os.kill(os.getpid(), signal.SIGINT)


values = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(), st.text(), st.dates(), st.datetimes(),
    st.times(), st.timedeltas(), st.decimals(allow_nan=False), st.binary(),
)  # fmt: skip


@given(st.lists(values, max_size=8))
def test_values_cross_as_they_are(row):
    (_, found) = answer_of(line_of(["row", row]))
    assert [type(value) for value in found] == [type(value) for value in row]
    for before, after in zip(row, found, strict=True):
        assert after == before or (math.isnan(before) and math.isnan(after))
        if isinstance(before, float | Decimal) and not math.isnan(before):  # the sign of no number says nothing
            assert math.copysign(1, after) == math.copysign(1, before)
        if isinstance(before, dt.datetime):
            assert after.tzinfo == before.tzinfo


@pytest.mark.parametrize("form", ["file", "stream"])
def test_an_arrow_file_may_not_unpack_to_more_than_is_allowed(tmp_path, form):
    pyarrow = pytest.importorskip("pyarrow")
    path = tmp_path / "people.arrow"
    batch = pyarrow.record_batch({"zip": pyarrow.array([7] * 100_000), "pay": pyarrow.array(["a"] * 100_000)})
    options = pyarrow.ipc.IpcWriteOptions(compression="zstd")
    new = {"file": pyarrow.ipc.new_file, "stream": pyarrow.ipc.new_stream}[form]
    with new(str(path), batch.schema, options=options) as writer:
        for _ in range(40):
            writer.write_batch(batch)
    roles = tclose.Roles("zip", "pay")
    assert tclose.audit(path, roles, measure=["k"]).k == 4_000_000
    with pytest.raises(SourceError, match="unpacks to more than"):
        tclose.audit(path, roles, read=tclose.ReadOptions(unpacked="20MB"))


def test_a_reader_of_arrow_files_that_crashes_is_not_the_end_of_the_process(tmp_path, monkeypatch):
    feather = pytest.importorskip("pyarrow.feather")
    path = tmp_path / "people.feather"
    feather.write_feather(pytest.importorskip("pyarrow").table({"zip": [1, 1], "pay": ["a", "b"]}), path)
    (tmp_path / "pyarrow").mkdir()
    (tmp_path / "pyarrow" / "__init__.py").write_text(HOSTILE["crashes"])
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(SourceError, match="reader crashed, or needed more"):
        tclose.audit(path, tclose.Roles("zip", "pay"))
