"""What does a read of the bundled service cost, beside a bare handler, and among very many visibilities?

`python -m benchmarks.service_reads` serves the same item twice: by the bundled service, which checks an
access token, and by a bare Starlette handler on sqlite3, which checks none. Both are asked in turn with wrk
(Debian: `apt install wrk`). It prints the requests for each second of their processor time (from /proc, so
on Linux), because a busy machine slows both. `python -m benchmarks.service_reads large` compares the bundled
service on 10,000,000 visibilities, read all over, with one on 100,000. Every answer is checked.

Last result (two busy cores, November 2026): 0.72 of the requests of the bare handler, 1.09 times the time.
"""

import os
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from item_visibility_service.server import run_service
from item_visibility_service.settings import ServiceSettings
from item_visibility_service.store import open_database
from tests.support.ports import free_port

SMALL, LARGE = 100_000, 10_000_000
RECIPIENTS = 10
"""Recipients that can see each item. A database's visibilities divided by them are its items."""

ROUNDS = 7
SECONDS = 3
CONNECTIONS = 16
CLIENT = SECRET = "benchmark"  # noqa: S105  (no secret: the server lives as long as the benchmark)
TOKEN_PATH = "/auth/realms/platform-api/protocol/openid-connect/token"  # noqa: S105  (an address)
READ = "SELECT recipient_id FROM visibility WHERE supplier = ? AND supplier_item_id = ? ORDER BY recipient_id"


def main(arguments: list[str]) -> None:
    """Fill, ask in turn, print."""
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        if arguments == ["large"]:
            counts = {"among 100,000": SMALL, "among 10,000,000": LARGE}
            files = {title: fill(folder / f"{count}.sqlite", count) for title, count in counts.items()}
            paths = {title: spread(folder / f"{count}.lua", count) for title, count in counts.items()}
            servers = {title: stack.enter_context(serve("service", file)) for title, file in files.items()}
        else:
            file = fill(folder / "small.sqlite", SMALL)
            servers = {
                "bare handler": stack.enter_context(serve("bare", file)),
                "bundled service": stack.enter_context(serve("service", file)),
            }
            paths = dict.fromkeys(servers, one(folder / "one.lua"))
        compare(servers, paths)


def compare(servers: dict[str, "Server"], paths: dict[str, Path]) -> None:
    """Ask the servers in turn, and print the medians and how the second stands to the first."""
    found: dict[str, list[float]] = {title: [] for title in servers}
    for number in range(ROUNDS):
        for title in list(servers)[:: 1 if number % 2 else -1]:
            found[title].append(servers[title].requests_per_cpu_second(paths[title]))
    medians = {title: statistics.median(values) for title, values in found.items()}
    for title, values in found.items():
        print(
            f"{title:20} {medians[title]:8.0f} requests a CPU second ({min(values):.0f} to {max(values):.0f})"
        )
    first, second = medians.values()
    print(f"ratio: {second / first:.2f} of the requests, {first / second:.2f} times the time")


class Server:
    """A running server, and what its process has used."""

    def __init__(self, url: str, process: subprocess.Popen[bytes], token: str) -> None:
        self._url = url
        self._process = process
        self._token = token

    def requests_per_cpu_second(self, script: Path) -> float:
        """Ask for a while; every answer must be a 2xx."""
        before = cpu_seconds(self._process.pid)
        said = ask(self._url, script, self._token)
        used = cpu_seconds(self._process.pid) - before
        assert "Non-2xx" not in said, said
        assert "Socket errors" not in said, said
        counted = re.search(r"(\d+) requests in", said)
        assert counted, said
        return int(counted[1]) / used


def ask(url: str, script: Path, bearer: str) -> str:
    """Return what wrk said."""
    command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{SECONDS}s", "-s", str(script)]
    command += ["-H", f"Authorization: Bearer {bearer}", url]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603  (wrk, which we name)


def cpu_seconds(pid: int) -> float:
    """Return the seconds of processor time, of all threads, in the program and for it in the system."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def serve(kind: str, file: Path) -> Iterator[Server]:
    """Run this file as a server in a process of its own, and end it after the block."""
    port = free_port()
    command = [sys.executable, "-m", "benchmarks.service_reads", kind, str(file), str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603  (this file)
    url = f"http://127.0.0.1:{port}"
    try:
        yield Server(url, process, token(url, process) if kind == "service" else first_answer(url, process))
    finally:
        process.terminate()
        process.wait()


def first_answer(url: str, process: subprocess.Popen[bytes]) -> str:
    """Wait until the server answers; the bare one needs no token, but reads the header of one."""
    for _ in range(600):
        assert process.poll() is None, "the server did not start"
        try:
            httpx.get(f"{url}/healthz", trust_env=False)
        except httpx.TransportError:
            time.sleep(0.1)
        else:
            return "x" * 300
    sys.exit("The server did not start.")


def token(url: str, process: subprocess.Popen[bytes]) -> str:
    """Return an access token."""
    first_answer(url, process)
    form = {"grant_type": "client_credentials", "client_id": CLIENT, "client_secret": SECRET}
    access_token: str = httpx.post(url + TOKEN_PATH, data=form, trust_env=False).json()["access_token"]
    return access_token


def fill(file: Path, count: int) -> Path:
    """Make a database of this many visibilities, by the service's own migration."""
    open_database(f"sqlite:///{file}").dispose()
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("PRAGMA synchronous = OFF")
        rows = (
            (supplier_of(number), item_of(number), f"952{recipient:010}")
            for number in range(count // RECIPIENTS)
            for recipient in range(RECIPIENTS)
        )
        connection.executemany("INSERT INTO visibility VALUES (?, ?, ?)", rows)
        assert connection.execute("SELECT count(*) FROM visibility").fetchone() == (count,)
    return file


def supplier_of(number: int) -> str:
    """Return the supplier of an item: a hundred items each."""
    return f"952{number // 100:010}"


def item_of(number: int) -> str:
    """Return the id of an item within its supplier."""
    return f"{number:014}:276"


def one(script: Path) -> Path:
    """Write a script of wrk that asks for one item again and again."""
    script.write_text(f'wrk.path = "/v1/itemvisibilities/{supplier_of(42)}/{item_of(42)}"\n')
    return script


def spread(script: Path, count: int) -> Path:
    """Write a script of wrk that asks for items all over the database."""
    script.write_text(
        "request = function()\n"
        f"  local number = math.random(0, {count // RECIPIENTS - 1})\n"
        '  return wrk.format(nil, string.format("/v1/itemvisibilities/952%010d/%014d:276",'
        " math.floor(number / 100), number))\n"
        "end\n"
    )
    return script


def serve_bare(file: str, port: int) -> None:
    """Serve reads with as little as Starlette needs."""
    connection = sqlite3.connect(file, check_same_thread=False)

    async def read(request: Request) -> JSONResponse:
        values = request.path_params
        rows = connection.execute(READ, (values["supplier"], values["item"])).fetchall()
        return JSONResponse([row[0] for row in rows])

    app = Starlette(routes=[Route("/v1/itemvisibilities/{supplier}/{item}", read)])
    uvicorn.run(app, host="127.0.0.1", port=port, access_log=False, lifespan="off")


def serve_bundled(file: str, port: int) -> None:
    """Serve the database with the bundled service; its tokens outlive the benchmark."""
    settings = ServiceSettings(f"sqlite:///{file}", CLIENT, SECRET)
    run_service(settings, host="127.0.0.1", port=port)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["bare", file, port]:
            serve_bare(file, int(port))
        case ["service", file, port]:
            serve_bundled(file, int(port))
        case arguments:
            main(arguments)
