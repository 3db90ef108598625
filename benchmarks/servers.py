"""What benchmarks share: a service with a fixed latency, a bare load generator, samples, tables.

Install them first (Debian: `apt install nginx libnginx-mod-http-echo wrk`).
"""

import json
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.support.dashboard import run_page
from tests.support.listening import free_port

RECIPIENTS = ("9521100000009", "9521100000016", "9521100000023")
ECHO_MODULES = [
    Path(folder, "ngx_http_echo_module.so")
    for folder in ("/usr/lib/nginx/modules", "/usr/share/nginx/modules", "/usr/lib64/nginx/modules")
]
START_TIMEOUT_S = 60
PATH = "/v1/itemvisibilities/9521100000009/00000000000017-276"

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
  client_body_temp_path {folder}/a; proxy_temp_path {folder}/b; fastcgi_temp_path {folder}/c;
  uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
  server {{
    listen 127.0.0.1:{port};
    location /v1/ {{ if ($request_method = PUT) {{ rewrite ^ /done last; }} {sleep} echo -n '{list}'; }}
    location = /done {{ internal; {sleep} echo_status 204; echo -n ''; }}
    location /auth/ {{ echo -n '{token}'; }}
  }}
}}
"""


@contextmanager
def open_latency_server(delay_s: float) -> Iterator[str]:
    """Run nginx so that it answers each call after this delay; yield its address."""
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    module = next((path for path in ECHO_MODULES if path.exists()), None)
    if program is None or module is None:
        sys.exit("Install nginx with its echo module: apt install nginx libnginx-mod-http-echo")
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        sleep = f"echo_sleep {delay_s};" if delay_s else ""
        listed = ",".join(f'"{recipient_id}"' for recipient_id in RECIPIENTS)
        token = f'{{"access_token":"{"t" * 400}","expires_in":36000}}'
        values = {"module": module, "folder": folder, "port": port, "sleep": sleep}
        Path(folder, "nginx.conf").write_text(NGINX.format(**values, list=f"[{listed}]", token=token))
        command = [program, "-p", folder, "-e", f"{folder}/error.log", "-c", f"{folder}/nginx.conf"]
        with running(command, port):
            yield f"http://127.0.0.1:{port}"


@contextmanager
def running(command: list[str], port: int) -> Iterator[subprocess.Popen[bytes]]:
    """Run a server; yield it once it accepts connections, and end it afterwards."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603  (the caller's server)
    give_up_at = time.monotonic() + START_TIMEOUT_S
    try:
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                if process.poll() is not None or time.monotonic() > give_up_at:
                    sys.exit(f"The server does not start: {' '.join(command)}")
                time.sleep(0.05)
        yield process
    finally:
        process.terminate()
        process.wait()


@contextmanager
def run_bare(folder: Path, script: str) -> Iterator[str]:
    """Run this script as a Streamlit app beside the dashboard, to compare with; yield its address."""
    file = folder / "bare.py"
    file.write_text(script, "utf-8")
    with run_page(folder, file) as page:
        yield page.url


def run_wrk(address: str, script: str, *, concurrency: int, seconds: int) -> tuple[int, float]:
    """Return the number of requests that wrk made, and how many each second; every answer must be a 2xx."""
    wrk = shutil.which("wrk")
    if wrk is None:
        sys.exit("Install wrk: apt install wrk")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "wrk.lua").write_text(script)
        command = [wrk, "-t1", f"-c{concurrency}", f"-d{seconds}s", "-s", f"{folder}/wrk.lua", address]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603  (wrk, which we name)
    assert "Non-2xx" not in output, output
    assert "Socket errors" not in output, output
    count, rate = re.search(r"(\d+) requests in", output), re.search(r"Requests/sec:\s+([0-9.]+)", output)
    assert count, output
    assert rate, output
    return int(count[1]), float(rate[1])


def limit(address: str, *, method: str, concurrency: int, seconds: int) -> float:
    """Return the requests per second of a bare load generator: the limit for comparing a client."""
    script = f'wrk.method = "{method}"\nwrk.headers["Accept"] = "application/json"\n'
    return run_wrk(address + PATH, script, concurrency=concurrency, seconds=seconds)[1]


def in_new_process(module: str, *arguments: object) -> dict[str, float]:
    """Take a sample: run the module's `sample` in a new process, and return the numbers that it prints."""
    command = [sys.executable, "-m", module, "sample", *map(str, arguments)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603  (ours)
    numbers: dict[str, float] = json.loads(output)
    return numbers


def print_table(title: str, heads: Sequence[str], rows: Mapping[str, Sequence[float]]) -> None:
    print(f"{title:32}", *(f"{head:>10}" for head in heads))
    for name, numbers in rows.items():
        print(f"{name:32}", *(f"{number:>10.{0 if number >= 100 else 2}f}" for number in numbers))  # noqa: PLR2004
    sys.stdout.flush()
