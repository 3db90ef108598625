"""Measures a scan of 5,000 items, with 8 reads at once that take 20 ms each.

`python -m benchmarks.scan` runs the whole program with SQLite, and compares it with the
load generator wrk. Each sample runs in a new process. The table shows medians: the rate
as a share of wrk's, the seconds until the first results can be shown, and the processor
time per item. servers.py says what to install first. `python -m benchmarks.scan 500 1`
scans 500 items, once.
"""

import statistics
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from benchmarks.servers import (
    RECIPIENTS,
    SUPPLIER,
    Numbers,
    in_new_process,
    items,
    limit,
    medians,
    open_latency_server,
    print_table,
)
from item_visibility.bootstrap.open_desk import open_desk
from item_visibility.model.job import Job, JobState
from item_visibility.settings import read_settings
from item_visibility.use_cases.desk import Desk
from tests.support.desk import wait_until

DELAY_S = 0.02
CONCURRENCY = 8
WARM_UP = "9521100000016"
WANTED_SHARE = 0.85
WANTED_FIRST_S = 1.0
LIMIT_S = 10


def main(count: int = 5_000, rounds: int = 3) -> None:
    limits = []
    samples = []
    with open_latency_server(DELAY_S) as address:
        for _ in range(rounds):
            limits.append(
                limit(address, method="GET", concurrency=CONCURRENCY, seconds=LIMIT_S)
            )
            samples.append(in_new_process(sample, address, count))

    typical = medians(samples)
    typical["share"] = typical["rate"] / statistics.median(limits)
    rows = {name: (value,) for name, value in typical.items()}
    print_table(f"{count:,} items", ("median",), rows)
    sys.exit(typical["share"] < WANTED_SHARE or typical["first_s"] > WANTED_FIRST_S)


def sample(address: str, count: int) -> Numbers:
    """Scan all items with a new database, and wait for the first results.

    The coverage page waits in the same way.
    """
    variables = {
        "ITEM_VISIBILITY_BASE_URL": address + "/v1",
        "ITEM_VISIBILITY_AUTH_URL": address,
        "ITEM_VISIBILITY_CLIENT_ID": "client",
        "ITEM_VISIBILITY_CLIENT_SECRET": "secret",
    }
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(open_desk(read_settings(variables, data_folder=Path(folder)))) as desk,
    ):
        # Scan another supplier first, to warm up.
        desk.records.directory.remember([*items(count)], RECIPIENTS)
        desk.records.directory.remember([*items(CONCURRENCY * 4, WARM_UP)])
        desk.scans.start(WARM_UP)
        wait_until(lambda: now(desk, WARM_UP).state is not JobState.READING)

        # Wait for the first results, which the coverage page would show.
        cpu_started = time.process_time()
        started = time.perf_counter()
        desk.scans.start(SUPPLIER)
        wait_until(lambda: now(desk).read_items)
        shown = [
            item
            for item in desk.records.seen.all(SUPPLIER)
            if item.recipients is not None
        ]
        first_s = time.perf_counter() - started
        assert shown

        # Wait for the others.
        wait_until(lambda: now(desk).state is not JobState.READING)
        took_s = time.perf_counter() - started
        cpu_s = time.process_time() - cpu_started

        seen = desk.records.seen.all(SUPPLIER)
        assert len(seen) == count
        assert {item.recipients for item in seen} == {frozenset(RECIPIENTS)}
        return {
            "rate": count / took_s,
            "first_s": first_s,
            "cpu_ms": cpu_s / count * 1e3,
        }


def now(desk: Desk, supplier: str = SUPPLIER) -> Job:
    scan = desk.scans.progress(supplier)
    assert scan is not None
    return scan


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
