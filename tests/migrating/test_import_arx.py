"""Projects of ARX become policies; whatever an archive holds, it is read or refused, and writes nowhere else."""

from __future__ import annotations

import functools
import zipfile

import pytest

import tclose
from canaries import CANARY
from faces.command_line import in_process
from tclose import Hierarchical, Nominal, Ordered
from tclose.errors import SourceError
from tclose.policy.arx_projects import criteria_of, read_arx

PROJECT = "<project><name>P</name><separator>;</separator><quote>&quot;</quote></project>"
CONFIG = """<config><relativeMaxOutliers>0.05</relativeMaxOutliers><metric>Loss (0.5/1.0/1.0)</metric>
<attributeWeights/><criteria>{}</criteria></config>"""
TABLE = f"id;zip;age;pay;ill\n1;12;30;1;x\n2;12;31;2;y\n3;13;30;3;x\n{CANARY};13;31;2;y\n"
TREE = "12;1*;*\n13;1*;*\n"
AGES = "30;3*;*\n31;3*;*\n"
ILLS = "x;all\ny;all\n"


def column(name, kind, ref="", limits=("All", "All")):
    return (
        f"<assigment><name>{name}</name><type>{kind}_ATTRIBUTE</type><datatype>String</datatype>"
        f"<ref>{ref}</ref><min>{limits[0]}</min><max>{limits[1]}</max></assigment>"
    )


COLUMNS = (
    column("id", "IDENTIFYING")
    + column("zip", "QUASI_IDENTIFYING", "hierarchies/zip.csv", ("1", "All"))
    + column("age", "QUASI_IDENTIFYING", "hierarchies/age.csv")
    + column("pay", "SENSITIVE")
    + column("ill", "SENSITIVE", "hierarchies/ill.csv")
)
CRITERIA = (
    "2-anonymity",
    "0.4-closeness with ordered distance for attribute 'pay'",
    "0.5-closeness with hierarchical ground-distance for attribute 'ill'",
    "distinct-2-diversity for attribute 'ill'",
)


@pytest.fixture
def saved(tmp_path):
    """Make a project's file, with some of its members changed or left out."""

    def save(criteria=CRITERIA, packing=zipfile.ZIP_STORED, **changed):
        listed = "".join(f"<criterion>{each}</criterion>" for each in criteria)
        members = {
            "metadata.xml": "<metadata><version>3.9.1</version></metadata>",
            "project.xml": PROJECT,
            "input/config.xml": CONFIG.format(listed),
            "input/definition.xml": f"<definition>{COLUMNS}</definition>",
            "input/hierarchies/zip.csv": TREE,
            "input/hierarchies/age.csv": AGES,
            "input/hierarchies/ill.csv": ILLS,
            "data/input.csv": TABLE,
        }
        path = tmp_path / "clinic.deid"
        with zipfile.ZipFile(path, "w", packing) as archive:
            for name, text in {**members, **{key.replace("__", "/"): text for key, text in changed.items()}}.items():
                if text is not None:
                    archive.writestr(name, text)
        return path

    return save


@pytest.fixture
def run(capfdbinary):
    return functools.partial(in_process, capfdbinary)


def test_a_project_becomes_a_policy_that_can_be_released_by(saved, tmp_path, run):
    done = run("import", "arx", saved(), "-o", tmp_path / "clinic")
    assert done.code == 0
    policy = tclose.read_policy(tmp_path / "clinic" / "tclose.toml")
    assert policy.roles.quasi == ("zip", "age")
    assert policy.roles.identifiers == ("id",)
    assert isinstance(policy.roles.sensitive["pay"], Ordered)
    assert isinstance(policy.roles.sensitive["ill"], Hierarchical)
    assert sorted(each.text for each in policy.requirements()) == ["k ≥ 2", "l ≥ 2", "t ≤ 0.4", "t ≤ 0.5"]
    assert policy.columns.levels == {"zip": (1, 2)}
    assert (policy.release.suppress, policy.release.loss) == ("0.05", "arx")
    done = run("anonymize", "--policy", tmp_path / "clinic" / "tclose.toml", "-o", tmp_path / "out.csv", "--quiet")
    assert done.code == 0
    assert CANARY not in (tmp_path / "out.csv").read_text()


def test_every_criterion_has_a_counterpart_or_a_reason():
    found = criteria_of(
        [
            "5-anonymity", "(0.05)-avg-reidentification-risk",
            "0.2-closeness with equal ground-distance for attribute 'a'",
            "shannon-entropy-2.0-diversity for attribute 'a'", "recursive-(4.0,3)-diversity for attribute 'b's'",
            "1.5-disclosure privacy for attribute 'a'", "basic-2.0-likeness for attribute 'a'",
            "enhanced-3.0-likeness for attribute 'a'",
            "grassberger-entropy-2-diversity for attribute 'a'", "(2)-map", "(0.1,0.2)-presence", "(2.0,1.0E-5)-DP",
            "(1.0E-4)-population-uniqueness (dankar)", "(0.1)-sample-uniqueness", "profitability (prosecutor)",
            "(0.1, 0.2 (0.2), 0.05)-avg-reidentification-risk", "Inclusion", "something new",
        ]
    )  # fmt: skip
    assert found.table == {"k": "5", "marketer": "0.05"}
    assert found.columns == {
        "a": {"t": "0.2", "distance": "nominal", "entropy_l": "2.0", "delta": "1.5", "beta": "2.0",
              "enhanced_beta": "3.0"},
        "b's": {"recursive": "4.0,3"},
    }  # fmt: skip
    assert len(found.notes) == 10
    assert "not known" in found.notes[-1]


def test_a_distance_of_equal_values_is_nominal_and_needs_no_tree(saved):
    asked = ["0.5-closeness with equal ground-distance for attribute 'ill'"]
    policy = read_arx(saved(asked)).policy
    assert policy.roles.sensitive == {"pay": None, "ill": Nominal()}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"project.xml": None}, "no project that ARX saved"),
        ({"data__input.csv": None}, "no table"),
        ({"input__config.xml": "<config>"}, "not valid XML"),
        ({"input__config.xml": '<!DOCTYPE a [<!ENTITY b "c">]><config/>'}, "declares entities"),
        ({"input__definition.xml": f"<definition>{column('a', 'STRANGE')}</definition>"}, "role"),
    ],
)
def test_a_damaged_project_is_refused(saved, changed, said):
    with pytest.raises(SourceError, match=said):
        read_arx(saved(**changed))


def test_an_archive_that_unpacks_to_a_multiple_of_itself_is_refused(saved, monkeypatch):
    """A million zeros from a thousand bytes; as large as that is only what somebody made to fill a disk."""
    path = saved(packing=zipfile.ZIP_DEFLATED, **{"data__input.csv": "zip\n" + "0" * 10**6})
    read_arx(path)
    monkeypatch.setattr("tclose.policy.arx_projects._MOST_XML", 10**5)
    with pytest.raises(SourceError, match="more than 300 times its size"):
        read_arx(path)


def test_packing_that_arx_has_not_is_refused(saved):
    with pytest.raises(SourceError, match="packs none"):
        read_arx(saved(packing=zipfile.ZIP_LZMA))


def test_bytes_that_were_spoiled_are_refused_wherever_they_are(saved, tmp_path):
    """Of every byte of a packed project some other value is tried; what can still be read is read."""
    whole = saved(packing=zipfile.ZIP_DEFLATED).read_bytes()
    refused = 0
    for place in range(len(whole)):
        path = tmp_path / "spoiled.deid"
        path.write_bytes(whole[:place] + bytes([whole[place] ^ (1 << place % 8)]) + whole[place + 1 :])
        folder = tmp_path / str(place)
        folder.mkdir()
        try:
            read_arx(path).write(folder)
        except tclose.InputError:
            refused += 1
    assert len(whole) / 2 < refused < len(whole)


def test_a_long_name_of_a_column_makes_no_long_name_of_a_file(saved, tmp_path):
    columns = column("z" * 4000, "QUASI_IDENTIFYING", "hierarchies/zip.csv")
    found = read_arx(saved(criteria=["2-anonymity"], **{"input__definition.xml": f"<d>{columns}</d>"}))
    assert list(found.members) == ["table.csv", f"hierarchies/01-{'z' * 40}.csv"]


def test_no_name_of_an_archive_leads_out_of_the_folder(saved, tmp_path):
    columns = column("../../zip", "QUASI_IDENTIFYING", "hierarchies/zip.csv")
    path = saved(criteria=["2-anonymity"], input__definition_xml=None, **{"input__definition.xml": f"<d>{columns}</d>"})
    found = read_arx(path)
    assert list(found.members) == ["table.csv", "hierarchies/01-_zip.csv"]


def test_nothing_is_written_over_and_nothing_left_of_a_failure(saved, tmp_path, run):
    (tmp_path / "there").mkdir()
    assert run("import", "arx", saved(), "-o", tmp_path / "there").code == 2
    (tmp_path / "no.deid").write_text("no archive")
    assert run("import", "arx", tmp_path / "no.deid", "-o", tmp_path / "new").code == 2
    assert run("import", "arx", tmp_path / "gone.deid").code == 2
    assert not (tmp_path / "new").exists()
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]
