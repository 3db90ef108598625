"""Compares the processor time of the bundled service and a bare handler for a read.

`python -m benchmarks.service_reads` runs two servers: the bundled service, which checks
an access token, and a bare Starlette handler with sqlite3, which checks nothing. wrk
sends requests to both in turn (Debian: `apt install wrk`). The result is in requests
per second of processor time, which a busy machine affects little. Every answer is
checked. Needs Linux.

Last result (two busy cores, November 2026): 0.92 of the requests of the bare handler.
"""

import os
import sqlite3
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from itertools import product
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from benchmarks.servers import in_turn, print_table, run_wrk
from item_visibility_service.server import run_service
from item_visibility_service.settings import ServiceSettings
from item_visibility_service.store import open_database
from tests.support.bundled_service import CLIENT_ID, CLIENT_SECRET, ask_for_token
from tests.support.dashboard import running
from tests.support.listening import free_port
from tests.support.program import Program

ITEMS = 10_000
RECIPIENTS = 10
PATH = "/v1/itemvisibilities/9520000000000/00000000000042:276"
WANTED = 0.65
ROUNDS = 7
SECONDS = 3
CONNECTIONS = 16
READ = (
    "SELECT recipient_id FROM visibility"
    " WHERE supplier = ? AND supplier_item_id = ? ORDER BY recipient_id"
)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        file = fill(Path(folder, "service.sqlite"))
        measures = {
            kind: stack.enter_context(serve(kind, file)) for kind in ("bare", "service")
        }
        rates = in_turn(measures, ROUNDS)

    rows = {
        kind: (statistics.median(samples), min(samples), max(samples))
        for kind, samples in rates.items()
    }
    share = rows["service"][0] / rows["bare"][0]
    print_table("requests a CPU second", ("median", "least", "most"), rows)
    print(f"share of the bare handler: {share:.2f} (wanted: {WANTED})")
    sys.exit(share < WANTED)


@contextmanager
def serve(kind: str, file: Path) -> Iterator[Callable[[], float]]:
    """Run one of the servers in a process.

    Yield a function that measures its requests per CPU second.
    """
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    module = "benchmarks.service_reads"
    command = [sys.executable, "-m", module, kind, str(file), str(port)]
    server = Program(
        command, log=file.with_name(f"{kind}.log"), ready_url=url, any_answer=True
    )
    with running(server):
        # The bare handler needs no token, but reads the header of one.
        bearer = "x" * 300
        if kind == "service":
            bearer = ask_for_token(url).json()["access_token"]
        script = f'wrk.headers["Authorization"] = "Bearer {bearer}"\n'

        def requests_per_cpu_second() -> float:
            before = cpu_seconds(server.pid)
            count, _ = run_wrk(
                url + PATH, script, concurrency=CONNECTIONS, seconds=SECONDS
            )
            return count / (cpu_seconds(server.pid) - before)

        yield requests_per_cpu_second


def cpu_seconds(pid: int) -> float:
    """Return the processor time in seconds, including the time in the kernel."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def fill(file: Path) -> Path:
    """Create a database with 100,000 visibilities."""
    open_database(f"sqlite:///{file}").dispose()
    rows = (
        (f"952{number // 100:010}", f"{number:014}:276", f"952{recipient:010}")
        for number, recipient in product(range(ITEMS), range(RECIPIENTS))
    )
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.executemany("INSERT INTO visibility VALUES (?, ?, ?)", rows)
    return file


def serve_bare(file: str, port: int) -> None:
    connection = sqlite3.connect(file, check_same_thread=False)

    async def read(request: Request) -> JSONResponse:
        key = (request.path_params["supplier"], request.path_params["item"])
        rows = connection.execute(READ, key).fetchall()
        return JSONResponse([row[0] for row in rows])

    app = Starlette(routes=[Route("/v1/itemvisibilities/{supplier}/{item}", read)])
    uvicorn.run(
        app, host="127.0.0.1", port=port, access_log=False, lifespan="off", http="h11"
    )


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["bare", file, port]:
            serve_bare(file, int(port))
        case ["service", file, port]:
            settings = ServiceSettings(f"sqlite:///{file}", CLIENT_ID, CLIENT_SECRET)
            run_service(settings, host="127.0.0.1", port=int(port))
        case _:
            main()
