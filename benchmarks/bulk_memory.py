"""Does a job of 100,000 calls need more memory than one of 1,000?

`python -m benchmarks.bulk_memory` makes jobs of both sizes on SQLite. Then it runs these in turn, each in a
fresh process, with 8 calls at once against a service without latency:

    preview     reads every item of the job (`jobs/reading.py`), storing all its results
    add         adds a recipient to every item, through `VisibilityClient`

It prints the median peaks of the resident memory, and their ratio, which must not exceed 1.15.
"""

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from benchmarks.bulk_throughput import Sample, add_to, make_job, open_client, preview_of, run, timed
from benchmarks.servers import open_latency_server

SMALL, LARGE = 1_000, 100_000
KINDS = ("preview", "add")
CONCURRENCY = 8
WANTED = 1.15
ROUNDS = 3


def main() -> None:
    """Measure and print; return exit status 1 if a ratio is too large."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    rounds = parser.parse_args().rounds
    peaks: dict[tuple[str, int], list[int]] = {
        (kind, calls): [] for kind in KINDS for calls in (SMALL, LARGE)
    }
    with open_latency_server(0) as address:
        for number in range(rounds):
            for kind, calls in peaks if number % 2 else reversed(peaks):
                peaks[kind, calls].append(peak_of(kind, address, calls))
    print(f"{'peak memory, MB':16}{SMALL:>10}{LARGE:>10}{'ratio':>8}{'wanted':>8}")
    ratios = []
    for kind in KINDS:
        small, large = (statistics.median(peaks[kind, calls]) / 1024 for calls in (SMALL, LARGE))
        ratios.append(large / small)
        print(f"{kind:16}{small:>10.1f}{large:>10.1f}{large / small:>8.2f}{WANTED:>8}")
    sys.exit(max(ratios) > WANTED)


def peak_of(kind: str, address: str, calls: int) -> int:
    """Run the work in a new process and return its peak resident memory in KiB."""
    with tempfile.TemporaryDirectory() as folder:
        begin = [sys.executable, "-m", "benchmarks.bulk_memory"]
        if kind == "preview":
            subprocess.run([*begin, "make", folder, str(calls)], check=True)  # noqa: S603  (this file)
        command = [*begin, kind, folder, str(calls), address]
        return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)  # noqa: S603  (this file)


def do(kind: str, folder: Path, calls: int, address: str) -> Sample:
    """Make the calls in this process, and check every answer."""
    with open_client(address, CONCURRENCY) as client:
        if kind == "preview":
            return preview_of(client, folder, calls, concurrency=CONCURRENCY)
        return timed(lambda: run(add_to(client), CONCURRENCY, calls), calls)


if __name__ == "__main__":
    if sys.argv[1:2] == ["make"]:
        make_job(Path(sys.argv[2]), int(sys.argv[3]))
    elif sys.argv[1:2] and sys.argv[1] in KINDS:
        do(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
        assert threading.active_count() == 1
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    else:
        main()
