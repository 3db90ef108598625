"""A scan of 5,000 known items at 20 ms a call, 8 at once, on the wired desk and SQLite.

`python -m benchmarks.scan` measures, each in a fresh process:

    GET         the limit: a bare load generator (load_limit.py)
    scan        the whole scan, all on record; and when the first results are there to be shown
    cancel      from the order until it is on record, and until no read is under way
    killed      `kill -9` in the middle: the reads that are made again, and what the next process reads
    beside      a person's read while a scan runs, against the same without one, in turn

It prints the medians. Install nginx with its echo module, and wrk: see bulk_throughput.py.
"""

import argparse
import json
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.latency_server import RECIPIENTS, open_latency_server
from benchmarks.load_limit import limit
from item_visibility.bootstrap.metrics import Metrics
from item_visibility.bootstrap.open_desk import open_desk
from item_visibility.client.call_records import CallRecord
from item_visibility.client.identifiers import ItemKey
from item_visibility.client.operations import GET_VISIBILITIES
from item_visibility.settings.settings import read_settings
from item_visibility.storage.scans.scan_state import Scan, ScanState
from item_visibility.use_cases.desk import Desk

DELAY_S = 0.02
AT_ONCE = 8
ITEMS = 5_000
SUPPLIER, WARM_UP, OPENED = "9521100000009", "9521100000016", "9521100000023"
WANTED_SHARE, WANTED_FIRST_S, WANTED_BESIDE = 0.85, 1.0, 1.3
READS_BESIDE = 40
LIMIT_S = 10
TICK_S = 0.01
PATIENCE_S = 600


class Counted(Metrics):
    """Counts the reads of this process."""

    reads = 0

    def count_call(self, environment: str, call: CallRecord) -> None:
        """Count one."""
        self.reads += call.operation == GET_VISIBILITIES.name
        super().count_call(environment, call)


def main() -> None:
    """Measure and print; return exit status 1 if a promise is not kept."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--items", type=int, default=ITEMS)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    taken: dict[str, list[dict[str, float]]] = {"scan": [], "cancel": [], "killed": [], "beside": []}
    limits = []
    with open_latency_server(DELAY_S) as address:
        for _ in range(asked.rounds):
            limits.append(limit(address, method="GET", concurrency=AT_ONCE, seconds=LIMIT_S))
            for kind, samples in taken.items():
                samples.append(sample_in_folder(kind, address, asked.items))
    medians = {
        f"{kind}.{name}": statistics.median(one[name] for one in samples)
        for kind, samples in taken.items()
        for name in samples[0]
    }
    medians["scan.share"] = medians["scan.rate"] / statistics.median(limits)
    medians["beside.ratio"] = statistics.median(one["beside_s"] / one["quiet_s"] for one in taken["beside"])
    for name, value in {"limit": statistics.median(limits), **medians}.items():
        print(f"{name:24}{value:>12.3f}")
    is_kept = (
        medians["scan.share"] >= WANTED_SHARE
        and medians["scan.first_s"] <= WANTED_FIRST_S
        and medians["beside.ratio"] <= WANTED_BESIDE
    )
    sys.exit(not is_kept)


def sample_in_folder(kind: str, address: str, items: int) -> dict[str, float]:
    """Take one sample in a new process, on records of its own."""
    with tempfile.TemporaryDirectory() as folder:
        run("make", address, folder, items)
        if kind != "killed":
            return run(kind, address, folder, items)
        killed = subprocess.Popen(command("half", address, folder, items), stdout=subprocess.PIPE)  # noqa: S603  (this file)
        assert killed.stdout is not None
        killed.stdout.readline()
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        return run("resume", address, folder, items)


def command(*words: object) -> list[str]:
    """Return the command that takes a sample."""
    return [sys.executable, "-m", "benchmarks.scan", "sample", *map(str, words)]


def run(*words: object) -> dict[str, float]:
    """Take a sample in a new process."""
    said = subprocess.run(command(*words), check=True, capture_output=True, text=True).stdout  # noqa: S603  (this file)
    found: dict[str, float] = json.loads(said)
    return found


def sample(kind: str, address: str, folder: str, items: int) -> dict[str, float]:
    """Take one sample in this process."""
    variables = {
        "ITEM_VISIBILITY_BASE_URL": address + "/v1",
        "ITEM_VISIBILITY_AUTH_URL": address,
        "ITEM_VISIBILITY_CLIENT_ID": "client",
        "ITEM_VISIBILITY_CLIENT_SECRET": "secret",
    }
    counted = Counted()
    desk = open_desk(read_settings(variables, data_folder=Path(folder)), metrics=counted)
    try:
        return SAMPLES[kind](desk, counted, items)
    finally:
        desk.close()


def make(desk: Desk, _counted: Counted, items: int) -> dict[str, float]:
    """Make the items known."""
    desk.records.directory.remember(numbered(SUPPLIER, items), RECIPIENTS)
    desk.records.directory.remember(numbered(WARM_UP, AT_ONCE * 4))
    return {}


def scan(desk: Desk, _counted: Counted, items: int) -> dict[str, float]:
    """Scan all, and look for the first results as a screen would."""
    desk.scans.start(WARM_UP)
    wait_for(lambda: not now(desk, WARM_UP).is_under_way)
    cpu_s, begun_s = time.process_time(), time.perf_counter()
    desk.scans.start(SUPPLIER)
    wait_for(lambda: now(desk).checked)
    shown = sum(one.recipients is not None for one in desk.records.seen.all(SUPPLIER))
    first_s = time.perf_counter() - begun_s
    assert shown
    wait_for(lambda: not now(desk).is_under_way)
    took_s, cpu_s = time.perf_counter() - begun_s, time.process_time() - cpu_s
    seen = desk.records.seen.all(SUPPLIER)
    assert len(seen) == items
    assert {one.recipients for one in seen} == {frozenset(RECIPIENTS)}
    looked_s = time.perf_counter()
    desk.records.seen.all(SUPPLIER)
    looked_s = time.perf_counter() - looked_s
    return {"rate": items / took_s, "first_s": first_s, "cpu_ms": cpu_s / items * 1e3, "look_s": looked_s}


def cancel(desk: Desk, counted: Counted, _items: int) -> dict[str, float]:
    """Cancel in the middle."""
    desk.scans.start(SUPPLIER)
    wait_for(lambda: now(desk).checked)
    reads, begun_s = counted.reads, time.perf_counter()
    cancelled = desk.scans.cancel(SUPPLIER)
    told_s = time.perf_counter() - begun_s
    assert cancelled is not None
    assert cancelled.state is ScanState.CANCELLED
    wait_for(lambda: not any(one.name.startswith("scan") for one in threading.enumerate()))
    return {"told_s": told_s, "quiet_s": time.perf_counter() - begun_s, "later_reads": counted.reads - reads}


def half(desk: Desk, _counted: Counted, items: int) -> dict[str, float]:
    """Scan, say when half is on record, and go on until this process is killed."""
    desk.scans.start(SUPPLIER)
    wait_for(lambda: now(desk).checked >= items // 2)
    print("half", flush=True)
    wait_for(lambda: not now(desk).is_under_way)
    raise AssertionError("was not killed")


def resume(desk: Desk, counted: Counted, items: int) -> dict[str, float]:
    """Go on where a killed process ended, as soon as it counts as dead."""
    begun_s = time.perf_counter()
    wait_for(lambda: now(desk).state is ScanState.INTERRUPTED)
    free_s = time.perf_counter() - begun_s
    on_record = now(desk).checked
    desk.scans.resume(SUPPLIER)
    wait_for(lambda: not now(desk).is_under_way)
    assert now(desk).state is ScanState.ENDED
    assert now(desk).checked == items
    begun_at = now(desk).begun_at
    assert all(one.seen_at is not None and one.seen_at >= begun_at for one in desk.records.seen.all(SUPPLIER))
    return {"free_s": free_s, "on_record": on_record, "reads": counted.reads}


def beside(desk: Desk, _counted: Counted, _items: int) -> dict[str, float]:
    """Read items as a person opens them, in turn with and without a scan."""
    opened = iter(numbered(OPENED, READS_BESIDE * 8))
    times: dict[bool, list[float]] = {False: [], True: []}
    desk.read(next(opened))
    for _ in range(3):
        for is_beside in (False, True):
            if is_beside:
                desk.scans.start(SUPPLIER)
                wait_for(lambda: now(desk).checked)
            for _ in range(READS_BESIDE):
                begun_s = time.perf_counter()
                desk.read(next(opened))
                times[is_beside].append(time.perf_counter() - begun_s)
            if is_beside:
                assert now(desk).is_under_way
                desk.scans.cancel(SUPPLIER)
                wait_for(lambda: not any(one.name.startswith("scan") for one in threading.enumerate()))
    quiet, busy = times[False], times[True]
    return {
        "quiet_s": statistics.median(quiet),
        "beside_s": statistics.median(busy),
        "quiet_95_s": statistics.quantiles(quiet, n=20)[-1],
        "beside_95_s": statistics.quantiles(busy, n=20)[-1],
    }


SAMPLES = {"make": make, "scan": scan, "cancel": cancel, "half": half, "resume": resume, "beside": beside}


def numbered(supplier: str, count: int) -> list[ItemKey]:
    """Return `count` items of a supplier."""
    return [ItemKey(supplier, f"{number:014}-276") for number in range(count)]


def now(desk: Desk, supplier: str = SUPPLIER) -> Scan:
    """Return how far the scan is."""
    found = desk.scans.progress(supplier)
    assert found is not None
    return found


def wait_for(condition: Callable[[], object]) -> None:
    """Wait until the condition holds."""
    for _ in range(round(PATIENCE_S / TICK_S)):
        if condition():
            return
        time.sleep(TICK_S)
    raise AssertionError("what was waited for did not come")


if __name__ == "__main__":
    if sys.argv[1:2] == ["sample"]:
        print(json.dumps(sample(sys.argv[2], sys.argv[3], sys.argv[4], int(sys.argv[5]))))
    else:
        main()
