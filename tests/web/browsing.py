"""A real browser for tests, and what a page must not do in it."""

import os
import shutil
import sys
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

SHARE = Path(sys.prefix) / "share" / "tclose"
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PATIENCE = 120_000
"""So many milliseconds a browser may take for anything where others use all processors."""


def chromium():
    """Return the browser; without one skip the test, or fail where CI promises it."""
    names = (os.environ.get("TCLOSE_CHROMIUM"), SHARE / "chromium", "chromium", "chromium-browser", "google-chrome")
    return _first(names) or _missing("no Chromium is here; scripts/browser installs one where it can")


def headless():
    """Return the browser that pages are walked in: the one that is named, or one without windows, which costs half."""
    return _first((os.environ.get("TCLOSE_CHROMIUM"), "chromium-headless-shell")) or chromium()


def axe():
    """Return the accessibility checker, likewise."""
    path = SHARE / "axe.min.js"
    return path if path.is_file() else _missing("axe is not here; scripts/browser brings it")


def _first(names):
    """Return the first of some programs that is here."""
    return next((path for name in names if name and (path := shutil.which(name))), None)


def _missing(words):
    if os.environ.get("CI"):
        pytest.fail(words)
    pytest.skip(words)


@contextmanager
def launched():
    """Give a browser while the block runs."""
    playwright = pytest.importorskip("playwright.sync_api")
    path = headless()
    with playwright.sync_playwright() as driver:
        playwright.expect.set_options(timeout=PATIENCE)
        found = driver.chromium.launch(executable_path=path, args=list(FLAGS))
        yield found
        found.close()


@contextmanager
def watched(browser, server, **context):
    """Give a page of which every request stays on this machine and which logs no error."""
    view = browser.new_context(accept_downloads=True, **context)
    page = view.new_page()
    page.set_default_timeout(PATIENCE)
    logged, asked = [], []
    page.on("console", lambda message: logged.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda problem: logged.append(str(problem)))
    page.on("request", lambda request: asked.append(urlsplit(request.url).netloc))
    page.goto(server.door.address)
    yield page
    assert logged == [], logged
    assert {host for host in asked if host} == {server.door.hosts[0]}
    view.close()


def settled(page):
    """Wait for the figures of what is set."""
    page.wait_for_selector('.workbench[data-stale="false"]')


def require(page, text):
    """Require a t of every sensitive attribute."""
    page.fill("#threshold-t-", text)
    page.press("#threshold-t-", "Enter")


def hint(page, text):
    """Wait until the page says what is next."""
    from playwright.sync_api import expect

    expect(page.locator("#step-hint")).to_have_text(text)
