"""Hierarchies are read from and written to files, and what is wrong with a file is said."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strategies import hierarchies
from tclose.data.hierarchies import Hierarchy, hierarchy_of, read_hierarchy, write_hierarchy
from tclose.errors import HierarchyError

ROWS = (("flu", "lung", "*"), ("asthma", "lung", "*"), ("colitis", "colon", "*"))
TREE = {"*": {"lung": ["flu", "asthma"], "colon": ["colitis"]}}


def written(folder: Path, content: str | bytes, name: str = "disease.csv") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


TEXTS = {
    "semicolons": "flu;lung;*\nasthma;lung;*\ncolitis;colon;*\n",
    "commas": "flu,lung,*\nasthma,lung,*\ncolitis,colon,*\n",
    "tabs": "flu\tlung\t*\nasthma\tlung\t*\ncolitis\tcolon\t*\n",
    "no newline at the end": "flu;lung;*\nasthma;lung;*\ncolitis;colon;*",
    "windows newlines": "flu;lung;*\r\nasthma;lung;*\r\ncolitis;colon;*\r\n",
    "byte order mark": "\ufeffflu;lung;*\nasthma;lung;*\ncolitis;colon;*\n",
    "quoted": '"flu";"lung";"*"\n"asthma";lung;*\ncolitis;"colon";*\n',
    "blank lines": "\nflu;lung;*\n\nasthma;lung;*\ncolitis;colon;*\n\n",
    "a row twice": "flu;lung;*\nasthma;lung;*\nflu;lung;*\ncolitis;colon;*\n",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_tables_are_read_however_they_are_separated(tmp_path, text):
    assert read_hierarchy(written(tmp_path, text)) == Hierarchy(ROWS)


def test_commas_inside_the_labels_of_a_semicolon_table_are_labels(tmp_path):
    tree = read_hierarchy(written(tmp_path, "1;[0, 5[;*\n7;[5, 10[;*\n"))
    assert tree.rows == (("1", "[0, 5[", "*"), ("7", "[5, 10[", "*"))


def test_semicolons_inside_quoted_labels_of_a_comma_table_are_labels(tmp_path):
    tree = read_hierarchy(written(tmp_path, '"a;b",x,*\n"c;d",y,*\n'))
    assert tree.leaves == ("a;b", "c;d")


def test_spaces_around_a_label_belong_to_it(tmp_path):
    assert read_hierarchy(written(tmp_path, "flu; lung;*\n")).rows == (("flu", " lung", "*"),)


def test_a_file_of_leaves_alone_gets_a_root(tmp_path):
    assert read_hierarchy(written(tmp_path, "flu\ncolitis\n")).rows == (("flu", "*"), ("colitis", "*"))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("disease.json", json.dumps(TREE)),
        ("disease.JSON", json.dumps(TREE)),
        ("disease.toml", '["*"]\nlung = ["flu", "asthma"]\ncolon = ["colitis"]\n'),
        ("disease.toml", '"*".lung = ["flu", "asthma"]\n"*".colon = "colitis"\n'),
    ],
)
def test_nested_files_give_the_same_tree_as_tables(tmp_path, name, text):
    assert read_hierarchy(written(tmp_path, text, name)) == Hierarchy(ROWS)


def test_hierarchy_of_takes_every_form(tmp_path):
    path = written(tmp_path, TEXTS["semicolons"])
    tree = Hierarchy(ROWS)
    assert hierarchy_of(tree, "disease") is tree
    assert hierarchy_of(path, "disease") == hierarchy_of(str(path), "disease") == tree
    assert hierarchy_of(TREE, "disease") == tree


def test_hierarchy_of_something_else_is_refused():
    with pytest.raises(HierarchyError, match=r"Hierarchy of 'disease': give a path.* not int"):
        hierarchy_of(3, "disease")  # type: ignore[arg-type]


def test_message_names_the_column_and_the_file(tmp_path):
    path = written(tmp_path, "flu;lung;*\nasthma;*\n")
    with pytest.raises(HierarchyError, match=r"^Hierarchy of 'disease': .*disease\.csv: In line 2"):
        hierarchy_of(path, "disease")


BROKEN = {
    "empty": ("disease.csv", "", "is empty"),
    "only blank lines": ("disease.csv", "\n\n", "is empty"),
    "ragged": (
        "disease.csv",
        "flu;lung;*\n\nasthma;*\n",
        "In line 3 the hierarchy has 2 levels, in line 1 it has 3",
    ),
    "blank label": ("disease.csv", "flu;lung;*\nasthma;;*\n", r"In line 2, level 1 .*\(column 2\)"),
    "no root": ("disease.csv", "flu;lung\ncolitis;colon\n", "2 different labels instead of one root"),
    "open quote": ("disease.csv", '"flu;lung;*\nasthma;lung;*\n', "quotation marks"),
    "binary": ("disease.csv", b"PK\x03\x04\xff\xfe\x00\x9f", "not text in UTF-8"),
    "zero bytes": ("disease.csv", b"\0" * 64, "not a label"),
    "latin-1": ("disease.csv", "Grün;Farbe\n".encode("latin-1"), "save the hierarchy as UTF-8"),
    "bad toml": ("disease.toml", "lung = [", "not a TOML file"),
    "bad json": ("disease.json", "{", "not a JSON file"),
    "json without a tree": ("disease.json", "[1, 2]", "holds no tree"),
    "deep json": ("disease.json", "[" * 200_000, "nested too deeply"),
    "deep json tree": ("disease.json", '{"a":' * 300 + "[]" + "}" * 300, "levels"),
    "binary toml": ("disease.toml", b"\xff\xfe\x00", "not text in UTF-8"),
}


@pytest.mark.parametrize(("name", "content", "message"), BROKEN.values(), ids=BROKEN)
def test_files_that_hold_no_tree_are_refused(tmp_path, name, content, message):
    with pytest.raises(HierarchyError, match=message):
        read_hierarchy(written(tmp_path, content, name))


def test_deeply_nested_toml_is_refused(tmp_path):
    path = written(tmp_path, "a = " + "[" * 100_000 + "]" * 100_000, "disease.toml")
    with pytest.raises(HierarchyError, match=r"nested too deeply|not a TOML file"):
        read_hierarchy(path)


def test_a_missing_file_is_an_error_that_names_it(tmp_path):
    with pytest.raises(HierarchyError, match=r"nowhere\.csv: there is no such file"):
        read_hierarchy(tmp_path / "nowhere.csv")


def test_a_folder_and_a_name_that_is_no_path_are_refused(tmp_path):
    with pytest.raises(HierarchyError, match="cannot be read"):
        read_hierarchy(tmp_path)
    with pytest.raises(HierarchyError, match="not a path"):
        read_hierarchy("a\0b.csv")


def test_a_hierarchy_is_written_as_arx_writes_it(tmp_path):
    write_hierarchy(Hierarchy(ROWS), tmp_path / "disease.csv")
    assert (tmp_path / "disease.csv").read_text() == TEXTS["semicolons"]
    assert [path.name for path in tmp_path.iterdir()] == ["disease.csv"]


def test_writing_over_a_file_replaces_it(tmp_path):
    path = written(tmp_path, "old")
    write_hierarchy(Hierarchy(ROWS), path)
    assert read_hierarchy(path) == Hierarchy(ROWS)


@settings(deadline=None)  # it waits for the disk
@given(hierarchies())
def test_what_is_written_is_read_back(tmp_path_factory, tree):
    path = tmp_path_factory.mktemp("hierarchy") / "tree.csv"
    write_hierarchy(tree, path)
    assert read_hierarchy(path) == tree


LABELS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1).filter(str.strip)


@settings(deadline=None)
@given(st.lists(LABELS, min_size=1, max_size=6, unique=True), LABELS)
def test_labels_of_any_characters_are_read_back(tmp_path_factory, leaves, root):
    tree = Hierarchy(tuple((leaf, root) for leaf in leaves))
    path = tmp_path_factory.mktemp("hierarchy") / "tree.csv"
    write_hierarchy(tree, path)
    assert read_hierarchy(path) == tree


def test_writing_where_one_cannot_leaves_nothing(tmp_path):
    tree = Hierarchy(ROWS)
    with pytest.raises(HierarchyError, match="cannot be written"):
        write_hierarchy(tree, tmp_path / "no such folder" / "tree.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(HierarchyError, match="cannot be written"):
        write_hierarchy(tree, tmp_path / "folder.csv")
    with pytest.raises(HierarchyError, match=r"end in \.csv"):
        write_hierarchy(tree, tmp_path / "tree.toml")
    with pytest.raises(HierarchyError, match="UTF-8"):
        write_hierarchy(Hierarchy((("\ud800", "*"),)), tmp_path / "tree.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["folder.csv"]
