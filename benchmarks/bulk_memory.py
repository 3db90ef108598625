"""Compares the memory that jobs of 1,000 and of 100,000 calls need.

`python -m benchmarks.bulk_memory` runs previews and additions of both sizes in turn,
with 8 calls at once and a service without latency. The table shows the median peak
memory of each kind and size. The large job may need at most 1.15 times the memory of
the small one.
"""

import sys
from functools import partial
from itertools import product

from benchmarks.bulk_throughput import take
from benchmarks.servers import in_turn, medians, open_latency_server, print_table

SMALL = 1_000
LARGE = 100_000
KINDS = ("preview", "add")
CONCURRENCY = 8
WANTED = 1.15
ROUNDS = 3


def main() -> None:
    with open_latency_server(0) as address:
        measures = {
            (kind, calls): partial(
                take, kind, address, concurrency=CONCURRENCY, calls=calls
            )
            for kind, calls in product(KINDS, (SMALL, LARGE))
        }
        samples = in_turn(measures, ROUNDS)

    rows = {}
    for kind in KINDS:
        small = medians(samples[kind, SMALL])["peak_mb"]
        large = medians(samples[kind, LARGE])["peak_mb"]
        rows[kind] = (small, large, large / small)
    print_table("peak memory, MB", (f"{SMALL:,}", f"{LARGE:,}", "ratio"), rows)
    sys.exit(max(ratio for _, _, ratio in rows.values()) > WANTED)


if __name__ == "__main__":
    main()
