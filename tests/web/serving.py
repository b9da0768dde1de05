"""A server for tests, on a port of its own, in a thread."""

import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass

import httpx
import uvicorn

from tclose.web.app import application
from tclose.web.security import Door, Limits
from tclose.web.server import _listening, configured
from tclose.web.workspace import Named, Workspace


@dataclass(frozen=True)
class Running:
    """A server that answers."""

    door: Door
    workspace: Workspace
    client: httpx.Client

    @property
    def base(self) -> str:
        return self.door.origins[0]

    def stranger(self, **headers):
        """Return a client that has only these headers."""
        return httpx.Client(base_url=self.base, headers=headers, timeout=30)

    def opened(self, example="salary"):
        """Return the id of a freshly opened example."""
        return self.client.post("/api/tables", json={"example": example}).json()["id"]

    def started(self, table, **work):
        return self.client.post(f"/api/tables/{table}/jobs", json=work).json()

    def finished(self, job):
        """Return a job when it is finished."""
        while job["state"] in ("waiting", "running"):
            job = self.client.get(f"/api/jobs/{job['id']}?wait=2000").json()
        return job

    def job(self, table, **work):
        return self.finished(self.started(table, **work))

    def done(self, table, **work):
        """Return a job that was done, with its result."""
        job = self.job(table, **work)
        assert job["state"] == "done", job["error"]
        return job

    def policy(self, table):
        """Return the policy that a table starts with."""
        return self.done(table, kind="profile")["result"]["policy"]


@contextmanager
def running(named: Named | None = None, limits: Limits | None = None, port: int = 0):
    """Serve while the block runs."""
    with _listening(port) as listener:
        door = Door(listener.getsockname()[1], limits=limits or Limits())
        workspace = Workspace(named)
        app = application(workspace, door)
        server = uvicorn.Server(configured(app))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        headers = {"x-tclose-token": door.token}
        with httpx.Client(base_url=door.origins[0], headers=headers, timeout=60) as client:
            yield Running(door, workspace, client)
        server.should_exit = True
        thread.join(10)
        app.state.jobs.close()
        workspace.close()
