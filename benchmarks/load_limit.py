"""The requests per second of a bare load generator: the limit for comparing a client.

It uses wrk if installed (Debian: `apt install wrk`), otherwise raw asyncio sockets in their own process.
"""

import asyncio
import re
import shutil
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

PATH = "/v1/itemvisibilities/9521100000009/00000000000017-276"
HEADERS = "Accept: application/json"


def limit(address: str, *, method: str, concurrency: int, seconds: int) -> float:
    """Return the requests per second over this many connections; every answer must be a 2xx."""
    wrk = find_wrk()
    if wrk is None:
        arguments = [address, method, str(concurrency), str(seconds)]
        command = [sys.executable, "-m", "benchmarks.load_limit", *arguments]
        return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)  # noqa: S603  (this file)
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "method.lua")
        script.write_text(f'wrk.method = "{method}"\n')
        command = [wrk, "-t1", f"-c{concurrency}", f"-d{seconds}s", "-s", str(script), address + PATH]
        said = subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603  (wrk, which we name)
    assert "Non-2xx" not in said, said
    assert "Socket errors" not in said, said
    found = re.search(r"Requests/sec:\s+([0-9.]+)", said)
    assert found, said
    return float(found[1])


@cache
def find_wrk() -> str | None:
    """Return the path of wrk; if it is missing, say so and return None."""
    wrk = shutil.which("wrk")
    if wrk is None:
        print("No wrk (apt install wrk): a load generator on asyncio stands in.")
    return wrk


async def ask(address: str, method: str, until_s: float) -> int:
    """Return the number of answers that one connection gets until then."""
    parts = urlsplit(address)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    request = f"{method} {PATH} HTTP/1.1\r\nHost: {parts.netloc}\r\n{HEADERS}\r\n\r\n".encode()
    count = 0
    while time.perf_counter() < until_s:
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 2"), head
        if method == "GET":
            await reader.readuntil(b"]")
        if b"chunked" in head:
            await reader.readuntil(b"0\r\n\r\n")
        count += 1
    writer.close()
    return count


async def ask_all(address: str, method: str, concurrency: int, seconds: float) -> float:
    """Return the requests per second over all connections."""
    started = time.perf_counter()
    counts = await asyncio.gather(*(ask(address, method, started + seconds) for _ in range(concurrency)))
    return sum(counts) / (time.perf_counter() - started)


if __name__ == "__main__":
    print(asyncio.run(ask_all(sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4]))))
