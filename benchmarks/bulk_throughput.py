"""How much of what a bare load generator gets do bulk reads and bulk additions reach, at 20 ms a call?

`python -m benchmarks.bulk_throughput` measures, in one run and in reversed order each round, a fresh process
a sample, every answer checked:

    GET, PUT    the limit: a bare load generator (load_limit.py)
    preview     the reading of a job: PreviewReader on SQLite, with all that it keeps (`jobs/preview.py`)
    read, add   `VisibilityClient` alone, called by as many workers over one shared iterator
    one pool    the same reads over httpx's own pool, as it would be without `api/connections.py`

It prints the median of each, its share of the limit, and the processor time a call. Only shares mean
something. Install the latency server and the load generator first, or small ones of ours stand in:
`apt install nginx libnginx-mod-http-echo wrk`. On a busy machine put
`chrt -r 5` before it.

Previews at 32 at once do not reach what is wanted: 0.68 and 0.77 were measured. What that is made of, with
numbers, stands in docs/decisions/bulk-transport.md.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import httpx

from benchmarks.latency_server import RECIPIENTS, open_latency_server
from benchmarks.load_limit import limit
from item_visibility.api.client import VisibilityClient
from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.bulk import BulkItem
from item_visibility.changes.job import Job, JobState
from item_visibility.desk.after_save import FollowedReads
from item_visibility.desk.connection import CallWatch
from item_visibility.jobs.preview import PreviewReader
from item_visibility.records.opening import open_records

DELAY_S = 0.02
JOB = "benchmark"
WANTED = {8: 0.9, 32: 0.85}
LIMITS = {"GET": "GET", "PUT": "PUT", "preview": "GET", "read": "GET", "add": "PUT", "one pool": "GET"}
LONGEST_LIMIT_S = 10
WARM = 4
"""Calls of each worker before the clock starts: connections are made, code is compiled."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Calls a second, and the processor time of the client, in seconds a call."""

    rate: float
    cpu_s: float = 0.0


def main() -> None:
    """Measure, print; the exit status is 1 when a share is smaller than wanted."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--concurrency", type=int, nargs="+", default=list(WANTED))
    parser.add_argument("--kinds", nargs="+", default=list(LIMITS), choices=LIMITS)
    asked = parser.parse_args()
    kinds = [kind for kind in LIMITS if kind in {*asked.kinds, *(LIMITS[one] for one in asked.kinds)}]
    is_enough = True
    with open_latency_server(DELAY_S) as address:
        for concurrency in asked.concurrency:
            samples: dict[str, list[Sample]] = {kind: [] for kind in kinds}
            for number in range(asked.rounds):
                for kind in kinds if number % 2 else reversed(kinds):
                    samples[kind].append(take(kind, address, concurrency=concurrency, calls=asked.calls))
            is_enough = show(samples, concurrency) and is_enough
    sys.exit(not is_enough)


def take(kind: str, address: str, *, concurrency: int, calls: int) -> Sample:
    """One sample, in a process of its own."""
    if kind == LIMITS[kind]:
        seconds = min(LONGEST_LIMIT_S, 1 + int(calls * DELAY_S / concurrency))
        return Sample(limit(address, method=kind, concurrency=concurrency, seconds=seconds))
    command = [sys.executable, "-m", "benchmarks.bulk_throughput", "sample"]
    command += [kind, address, str(concurrency), str(calls)]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603  (this file)
    return Sample(**json.loads(said))


def show(samples: dict[str, list[Sample]], concurrency: int) -> bool:
    """Print medians and shares; True when no share that is promised is too small."""
    rates = {kind: statistics.median(one.rate for one in taken) for kind, taken in samples.items()}
    print(f"\n{f'at {concurrency} at once':16}{'calls/s':>10}{'share':>8}{'wanted':>8}{'CPU, µs':>9}")
    is_enough = True
    for kind, rate in rates.items():
        share = rate / rates[LIMITS[kind]]
        wanted = WANTED.get(concurrency, 0.0) if kind in {"preview", "read", "add"} else 0.0
        cpu_us = statistics.median(one.cpu_s for one in samples[kind]) * 1e6
        print(f"{kind:16}{rate:>10.0f}{share:>8.2f}{wanted or '':>8}{f'{cpu_us:.0f}' if cpu_us else '':>9}")
        is_enough = is_enough and share >= wanted
    sys.stdout.flush()
    return is_enough


def sample(kind: str, address: str, concurrency: int, calls: int) -> Sample:
    """Make the calls in this process, and check every answer."""
    network = None
    if kind == "one pool":
        limits = httpx.Limits(max_connections=concurrency, max_keepalive_connections=concurrency)
        network = httpx.HTTPTransport(limits=limits, trust_env=False)
    with open_client(address, concurrency, network) as client, tempfile.TemporaryDirectory() as folder:
        work = add_to(client) if kind == "add" else read_from(client)
        run(work, concurrency, concurrency * WARM)
        if kind == "preview":
            make_job(Path(folder), calls)
            return preview_of(client, Path(folder), calls, concurrency=concurrency)
        return timed(lambda: run(work, concurrency, calls), calls)


def open_client(
    address: str, concurrency: int, network: httpx.BaseTransport | None = None
) -> VisibilityClient:
    """A client as jobs have it."""
    return VisibilityClient(
        address + "/v1",
        address,
        "client",
        "secret",
        transport=network,
        max_connections=concurrency,
        on_call=CallWatch(lambda: datetime.now(UTC)).observe,
    )


def items(calls: int) -> Iterator[ItemKey]:
    """So many items."""
    return (ItemKey("9521100000009", f"{number:014}-276") for number in range(calls))


def read_from(client: VisibilityClient) -> Callable[[ItemKey], None]:
    """Reads an item."""

    def read(item: ItemKey) -> None:
        assert client.get_visibilities(item) == frozenset(RECIPIENTS)

    return read


def add_to(client: VisibilityClient) -> Callable[[ItemKey], None]:
    """Adds a recipient to an item; anything but a 204 raises."""
    return lambda item: client.add_visibility(item, RECIPIENTS[0])


def run(work: Callable[[ItemKey], None], concurrency: int, calls: int) -> None:
    """Do the work for each item, in so many workers over one shared iterator, as jobs do."""
    done = count()
    shared = items(calls)
    lock = threading.Lock()

    def worker() -> None:
        while True:
            with lock:
                item = next(shared, None)
            if item is None:
                return
            work(item)
            next(done)

    workers = [threading.Thread(target=worker) for _ in range(concurrency)]
    for one in workers:
        one.start()
    for one in workers:
        one.join()
    assert next(done) == calls


def make_job(folder: Path, calls: int) -> None:
    """Keep a job of so many items on SQLite, which is to be read."""
    records = open_records(database_in(folder))
    job = Job(
        key=JOB,
        title="benchmark",
        person="nobody",
        reason="",
        state=JobState.READING,
        created_at=datetime.now(UTC),
        item_count=calls,
    )
    add = frozenset(RECIPIENTS[:1])
    records.jobs(service=JOB, environment="default").create(
        job, (BulkItem(item=item, add=add) for item in items(calls))
    )
    records.close()


def preview_of(client: VisibilityClient, folder: Path, calls: int, *, concurrency: int) -> Sample:
    """Read every item of the job."""
    records = open_records(database_in(folder))
    store = records.jobs(service=JOB, environment="default")
    history = records.history(service=JOB)
    reader = PreviewReader(
        store,
        client,
        remember=FollowedReads(history, records.directory(service=JOB)).keep,
        clock=lambda: datetime.now(UTC),
        timer=time.monotonic,
        concurrency=concurrency,
    )
    taken = timed(lambda: reader.read(JOB, threading.Event()), calls)
    summary = store.summary(JOB)
    assert summary is not None
    assert (summary.items, summary.already_so, summary.unread) == (calls, calls, 0), summary
    records.close()
    return taken


def database_in(folder: Path) -> str:
    """The address of the records in this folder."""
    return f"sqlite:///{folder / 'records.sqlite'}"


def timed(work: Callable[[], object], calls: int) -> Sample:
    """How fast the calls were."""
    started, cpu_started = time.perf_counter(), time.process_time()
    work()
    return Sample(calls / (time.perf_counter() - started), cpu_s=(time.process_time() - cpu_started) / calls)


if __name__ == "__main__":
    if sys.argv[1:2] == ["sample"]:
        taken = sample(sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
        print(json.dumps({"rate": taken.rate, "cpu_s": taken.cpu_s}))
    else:
        main()
