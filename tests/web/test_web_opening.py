"""What a page opens: files, several of them as one table, databases by address or as a file; and what it refuses."""

import sqlite3

import pytest

from tclose.cli import serve
from web.serving import running


def database(path, **tables):
    with sqlite3.connect(path) as connection:
        for name, rows in tables.items():
            quoted = name.replace('"', '""')
            connection.execute(f'CREATE TABLE "{quoted}" (zip TEXT, pay INTEGER)')
            connection.executemany(f'INSERT INTO "{quoted}" VALUES (?, ?)', rows)
    connection.close()
    return path


def brought(server, content, **query):
    return server.client.post("/api/uploads", params=query, content=content)


def test_several_files_are_one_table_and_the_folder_goes_with_it(server):
    first = brought(server, b"zip,pay\n1,2\n", name="a.csv", more="true")
    assert first.status_code == 202
    upload = first.json()["upload"]
    assert brought(server, b"zip,pay\n3,4\n", name="b.csv", more="true", upload=upload).json() == {"upload": upload}
    told = brought(server, b"zip,pay\n5,6\n7,8\n", name="c.csv", more="false", upload=upload, folder="months").json()
    assert told["label"] == "months"
    assert server.done(told["id"], kind="profile")["result"]["profile"]["rows"] == 4
    folder = server.workspace.folder / upload
    assert folder.is_dir()
    refused = brought(server, b"zip,pay\n9,9\n", name="d.csv", more="true", upload=upload)
    assert refused.status_code == 422  # nothing is added to a table that is open
    server.client.delete(f"/api/tables/{told['id']}")
    assert not folder.exists()


@pytest.mark.parametrize("upload", ["../x", "open-0000000000000000", "open-", "/etc", "open-zzzzzzzzzzzzzzzz"])
def test_an_upload_that_was_not_begun_is_no_place(server, upload):
    refused = brought(server, b"a\n1\n", name="a.csv", more="true", upload=upload)
    assert refused.status_code == 422
    assert "begin it again" in refused.json()["error"]["message"]


def test_a_file_of_another_kind_in_a_folder_removes_the_folder(server):
    upload = brought(server, b"a\n1\n", name="a.csv", more="true").json()["upload"]
    refused = brought(server, b"", name="b.csv", upload=upload)
    assert "'b.csv' is empty" in refused.json()["error"]["message"]
    assert not (server.workspace.folder / upload).exists()


def test_a_database_that_is_brought_lists_its_tables_and_goes_with_the_last_of_them(server, tmp_path):
    rows = [(str(at % 3), at % 5) for at in range(30)]
    names = ["patients", 'the "odd".one']
    file = database(tmp_path / "clinic.sqlite", **dict.fromkeys(names, rows))
    told = brought(server, file.read_bytes(), name="clinic.sqlite").json()
    assert told["label"] == "clinic.sqlite"
    assert told["tables"] == ["patients", '"the ""odd"".one"']
    place = server.workspace._databases[told["database"]].folder
    opened = [
        server.client.post("/api/tables", json={"database": told["database"], "table": table}).json()
        for table in told["tables"]
    ]
    assert opened[0]["label"] == "patients of clinic.sqlite"
    for table in opened:
        assert server.done(table["id"], kind="profile")["result"]["profile"]["rows"] == 30
    server.client.delete(f"/api/tables/{opened[0]['id']}")
    assert place.is_dir()
    server.client.delete(f"/api/tables/{opened[1]['id']}")
    assert not place.exists()
    gone = server.client.post("/api/tables", json={"database": told["database"], "table": "patients"})
    assert "no such database" in gone.json()["error"]["message"]


def test_a_file_that_is_no_database_is_refused_under_its_own_name(server):
    refused = brought(server, b"this is no database" * 100, name="clinic.db")
    assert refused.status_code == 422
    message = refused.json()["error"]["message"]
    assert "clinic.db" in message
    assert str(server.workspace.folder) not in message


@pytest.mark.parametrize(
    "address",
    [
        "sqlite:/etc/passwd", "sqlite:clinic.db", "adbc:duckdb:/tmp/x.db", "file:///etc/passwd", "postgresql:///clinic",
        "postgresql://%2Fvar%2Frun/clinic", "postgresql://h/d?host=/var/run", "postgresql://h/d?sslkey=/keys/mine",
        "postgresql://h/d#t", "postgresql://h\n/d", "postgresql://", "", None, 5, "postgresql://h" + "x" * 2000,
    ],
)  # fmt: skip
def test_an_address_that_names_a_file_or_a_setting_is_refused(server, address):
    refused = server.client.post("/api/databases", json={"address": address})
    assert refused.status_code == 422
    assert "A page names no file" in refused.json()["error"]["message"]


def test_a_server_that_does_not_answer_is_named_without_its_password(server):
    refused = server.client.post("/api/databases", json={"address": "postgresql://ann:secret@127.0.0.1:9/clinic"})
    assert refused.status_code in (422, 500, 502, 503)
    assert "secret" not in refused.text
    assert "ann" not in refused.json()["error"]["message"]


def test_a_database_that_is_named_on_the_command_line_is_chosen_from(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    database(tmp_path / "clinic.db", patients=[("1", 2), ("3", 4)], visits=[("1", 1)])
    given = dict(serve.command.make_context("serve", ["sqlite:clinic.db"]).params)
    with running(serve._named(given.pop("tables"), given)) as page:
        assert page.client.get("/api").json()["named"] == {"label": "sqlite:clinic.db", "database": True}
        told = page.client.post("/api/databases", json={"named": True}).json()
        assert told["tables"] == ["patients", "visits"]
        table = page.client.post("/api/tables", json={"database": told["database"], "table": "patients"}).json()
        assert page.done(table["id"], kind="profile")["result"]["profile"]["rows"] == 2
        script = page.client.get(f"/api/tables/{table['id']}/script").json()["command"]
        assert "sqlite:clinic.db#patients" in script
        assert page.client.post("/api/tables", json={"named": True}).status_code == 422
