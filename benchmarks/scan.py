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
from item_visibility.saving.job import Job, JobState
from item_visibility.settings import read_settings
from item_visibility.use_cases.desk import Desk
from tests.support.desk import wait_until

DELAY_S = 0.02
CONCURRENCY = 8
WARM_UP = "9521100000016"
WANTED_SHARE, WANTED_FIRST_S = 0.85, 1.0
LIMIT_S = 10


def main(count: int = 5_000, rounds: int = 3) -> None:
    limits, samples = [], []
    with open_latency_server(DELAY_S) as address:
        for _ in range(rounds):
            limits.append(
                limit(address, method="GET", concurrency=CONCURRENCY, seconds=LIMIT_S)
            )
            samples.append(in_new_process(sample, address, count))
    found = medians(samples)
    found["share"] = found["rate"] / statistics.median(limits)
    print_table(
        f"{count:,} items",
        ("median",),
        {name: (value,) for name, value in found.items()},
    )
    sys.exit(found["share"] < WANTED_SHARE or found["first_s"] > WANTED_FIRST_S)


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
        desk.records.directory.remember([*items(count)], RECIPIENTS)
        desk.records.directory.remember([*items(CONCURRENCY * 4, WARM_UP)])
        desk.scans.start(WARM_UP)
        wait_until(lambda: now(desk, WARM_UP).state is not JobState.READING)
        cpu_s, begun_s = time.process_time(), time.perf_counter()
        desk.scans.start(SUPPLIER)
        wait_until(lambda: now(desk).read_items)
        shown = sum(
            one.recipients is not None for one in desk.records.seen.all(SUPPLIER)
        )
        first_s = time.perf_counter() - begun_s
        assert shown
        wait_until(lambda: now(desk).state is not JobState.READING)
        took_s, cpu_s = time.perf_counter() - begun_s, time.process_time() - cpu_s
        seen = desk.records.seen.all(SUPPLIER)
        assert len(seen) == count
        assert {one.recipients for one in seen} == {frozenset(RECIPIENTS)}
        return {
            "rate": count / took_s,
            "first_s": first_s,
            "cpu_ms": cpu_s / count * 1e3,
        }


def now(desk: Desk, supplier: str = SUPPLIER) -> Job:
    found = desk.scans.progress(supplier)
    assert found is not None
    return found


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
