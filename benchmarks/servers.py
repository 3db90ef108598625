"""Code that benchmarks share: a service with a fixed latency, the wrk tool, and tables.

Install first, on Debian: `apt install nginx libnginx-mod-http-echo wrk`.
"""

import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import TypeVar

from item_visibility.client.identifiers import ItemKey
from item_visibility.model.known_ids import Kind, NameRow
from item_visibility.storage.directory import Directory
from item_visibility.storage.open_records import open_records
from tests.support.dashboard import Place, run_page, running
from tests.support.listening import free_port
from tests.support.program import Program

Numbers = dict[str, float]
_What = TypeVar("_What")
_Found = TypeVar("_Found")

SUPPLIER = "9521100000009"
RECIPIENTS = ("9521100000009", "9521100000016", "9521100000023")
MODULES = (
    "/usr/lib/nginx/modules",
    "/usr/share/nginx/modules",
    "/usr/lib64/nginx/modules",
)
PATH = f"/v1/itemvisibilities/{SUPPLIER}/00000000000017-276"

NGINX = """
load_module {module};
worker_processes 1;
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 1024; }}
http {{
  access_log off;
  default_type application/json;
  keepalive_requests 1000000000;
  client_body_temp_path {folder}/a;
  proxy_temp_path {folder}/b;
  fastcgi_temp_path {folder}/c;
  uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
  server {{
    listen 127.0.0.1:{port};
    location /v1/ {{
      if ($request_method = PUT) {{ rewrite ^ /done last; }}
      {sleep} echo -n '{list}';
    }}
    location = /done {{ internal; {sleep} echo_status 204; echo -n ''; }}
    location /auth/ {{ echo -n '{token}'; }}
  }}
}}
"""


def items(count: int, supplier: str = SUPPLIER) -> Iterator[ItemKey]:
    return (ItemKey(supplier, f"{number:014}-276") for number in range(count))


@contextmanager
def open_latency_server(delay_s: float) -> Iterator[str]:
    """Run nginx so that it answers each call after this delay. Yield its address."""
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    modules = [Path(folder, "ngx_http_echo_module.so") for folder in MODULES]
    module = next((file for file in modules if file.exists()), None)
    if program is None or module is None:
        sys.exit(
            "Install nginx with its echo module: "
            "apt install nginx libnginx-mod-http-echo"
        )

    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        sleep = f"echo_sleep {delay_s};" if delay_s else ""
        listed = ",".join(f'"{recipient_id}"' for recipient_id in RECIPIENTS)
        token = f'{{"access_token":"{"t" * 400}","expires_in":36000}}'
        values = {"module": module, "folder": folder, "port": port, "sleep": sleep}
        configuration = NGINX.format(**values, list=f"[{listed}]", token=token)
        Path(folder, "nginx.conf").write_text(configuration)

        log = ["-e", f"{folder}/error.log"]
        command = [program, "-p", folder, *log, "-c", f"{folder}/nginx.conf"]
        url = f"http://127.0.0.1:{port}"
        nginx = Program(
            command, log=Path(folder, "output.log"), ready_url=f"{url}/auth/"
        )
        with running(nginx):
            yield url


@contextmanager
def run_bare(folder: Path, script: str) -> Iterator[str]:
    """Run this script as a Streamlit app, to compare the dashboard with it.

    Yield its address.
    """
    file = folder / "bare.py"
    file.write_text(script, "utf-8")
    with run_page(folder, file) as page:
        yield page.url


def run_wrk(
    address: str, script: str, *, concurrency: int, seconds: int
) -> tuple[int, float]:
    """Return the number of requests that wrk made, in all and per second.

    Fails if an answer is not a 2xx.
    """
    wrk = shutil.which("wrk")
    if wrk is None:
        sys.exit("Install wrk: apt install wrk")

    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "wrk.lua").write_text(script)
        options = ["-t1", f"-c{concurrency}", f"-d{seconds}s"]
        done = subprocess.run(  # noqa: S603  (wrk, which we name)
            [wrk, *options, "-s", f"{folder}/wrk.lua", address],
            check=True,
            capture_output=True,
            text=True,
        )

    output = done.stdout
    assert "Non-2xx" not in output, output
    assert "Socket errors" not in output, output
    count = re.search(r"(\d+) requests in", output)
    rate = re.search(r"Requests/sec:\s+([0-9.]+)", output)
    assert count, output
    assert rate, output
    return int(count[1]), float(rate[1])


def limit(address: str, *, method: str, concurrency: int, seconds: int) -> float:
    """Return the requests per second that wrk makes. No client can be faster."""
    script = f'wrk.method = "{method}"\nwrk.headers["Accept"] = "application/json"\n'
    return run_wrk(address + PATH, script, concurrency=concurrency, seconds=seconds)[1]


def name_recipients(place: Place, names: Mapping[str, str]) -> None:
    """Store these names in the directory of the dashboard.

    `names` maps recipient ids to names.
    """
    records = open_records(place.dashboard.records_url)
    rows = Directory(records, service=place.dashboard.service)[Kind.RECIPIENT]
    rows.put([NameRow((recipient_id,), name) for recipient_id, name in names.items()])
    records.close()


def in_new_process(work: Callable[..., _Found], *arguments: object) -> _Found:
    """Do the work in a new process, which has its own memory and interpreter lock."""
    with ProcessPoolExecutor(1, get_context("spawn")) as fresh:
        return fresh.submit(work, *arguments).result()


def in_turn(
    measures: Mapping[_What, Callable[[], _Found]], rounds: int
) -> dict[_What, list[_Found]]:
    """Take one sample of each measure in each round, and return the samples of each."""
    samples: dict[_What, list[_Found]] = {what: [] for what in measures}
    order = list(measures)
    for _ in range(rounds):
        # The order changes each time, so that no measure is always the first one.
        order.reverse()
        for what in order:
            samples[what].append(measures[what]())
    return samples


def medians(samples: Sequence[Numbers]) -> Numbers:
    return {
        name: statistics.median(sample[name] for sample in samples)
        for name in samples[0]
    }


def _decimals(number: float) -> int:
    return 0 if number >= 100 else 2  # noqa: PLR2004


def print_table(
    title: str, heads: Sequence[str], rows: Mapping[str, Sequence[float]]
) -> None:
    print(f"{title:32}", *(f"{head:>10}" for head in heads))
    for name, numbers in rows.items():
        print(
            f"{name:32}",
            *(f"{number:>10.{_decimals(number)}f}" for number in numbers),
        )
    sys.stdout.flush()
