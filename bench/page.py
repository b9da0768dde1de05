"""How long does a person wait at the page? Prints seconds of a real browser and the server's processor time.

python bench/page.py [--quick]
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
from playwright.sync_api import Page, sync_playwright

from clock import machine
from tables import Shape, raw_table

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from web.browsing import FLAGS, chromium

PATIENCE = 120_000
STEPS = (
    *("page there", "columns there", "first figures", "all figures", "role changed"),
    *("levels there", "level moved", "cancelled"),
)
RAW = ("-q", "zip,born,sex", "-s", "salary:ordered", "-s", "job:nominal", "--k", "5", "--t", "0.5")


def main() -> None:
    rows = 100_000 if "--quick" in sys.argv else 1_000_000
    large = Shape(rows, rows // 5, 100).path
    print(f"The page in a browser, seconds and, in brackets, the server's processor seconds; {machine()}\n")
    print(f"| table | {' | '.join(STEPS)} |")
    print(f"|---|{'---|' * len(STEPS)}")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium(), args=list(FLAGS))
        raw = raw_table(rows)
        for label, *table in (
            ("the salary example", "example:salary"),
            (f"{rows:,} rows, Parquet", str(large)),
            (f"{rows:,} rows, CSV", str(as_csv(large))),
            (f"{rows:,} raw rows, Parquet", str(raw), *RAW),
            (f"{rows:,} raw rows, CSV", str(as_csv(raw)), *RAW),
        ):
            with serving(*table) as (address, process):
                page = browser.new_page()
                found = waits(page, address, process)
                page.close()
            print(f"| {label} | {' | '.join(found)} |", flush=True)
        browser.close()


def as_csv(path: Path) -> Path:
    """Return the same table as text, written once."""
    text = path.with_suffix(".csv")
    if not text.exists():
        partial = path.with_suffix(".partial")
        duckdb.connect().execute(f"COPY (FROM '{path}') TO '{partial}' (FORMAT csv)")
        partial.replace(text)
    return text


@contextmanager
def serving(*table: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Give the address of a server that has just been started."""
    command = [sys.executable, "-m", "tclose.cli", "serve", *table, "--no-browser", "--quiet"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip(), process
    finally:
        process.terminate()
        process.wait(20)


def waits(page: Page, address: str, process: subprocess.Popen[str]) -> list[str]:
    """Return how long each step of a visit took."""
    found: list[str] = []

    def timed(act: Callable[[], object], until: str) -> None:
        started, worked = time.perf_counter(), processor_seconds(process.pid)
        act()
        page.wait_for_selector(until, timeout=PATIENCE)
        found.append(f"{time.perf_counter() - started:.2f} ({processor_seconds(process.pid) - worked:.2f})")

    settled = '.workbench[data-stale="false"]'
    timed(lambda: page.goto(address), ".top")
    timed(lambda: None, ".column")
    timed(lambda: None, f"#impression, {settled} .verdict h2")
    timed(lambda: None, f"{settled} .verdict h2")
    other = page.locator(".column[data-role='quasi-identifier'] select[id^=role-]").last
    timed(lambda: other.select_option("insensitive"), '.workbench[data-stale="true"]')
    found.pop()
    timed(lambda: None, settled)
    timed(lambda: page.click("#tab-repair"), "[data-level-figure=loss]")
    slider = page.locator(".slider input").first
    page.eval_on_selector("[data-level-figure=loss]", "shown => { shown.dataset.old = ''; }")
    timed(lambda: slider.press("ArrowRight"), "[data-level-figure=loss]:not([data-old])")
    page.click("#frontier-start")
    page.wait_for_timeout(1_000)
    if page.locator("[data-cancel]").count():
        timed(lambda: page.click("[data-cancel]"), "#frontier-outcome :text('Cancelled')")
    else:
        found.append("done before")
    return found


def processor_seconds(process: int) -> float:
    """Return how long a process has computed so far."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / 100


if __name__ == "__main__":
    main()
