"""A service that answers every call after a fixed time; any further delay comes from the client.

It is nginx with the echo module if installed (Debian: `apt install nginx libnginx-mod-http-echo`). Otherwise
it is a small asyncio server in its own process, which can use only one core and says so.
"""

import asyncio
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

RECIPIENTS = ("9521100000009", "9521100000016", "9521100000023")
LIST = b'["9521100000009","9521100000016","9521100000023"]'
TOKEN = b'{"access_token":"' + b"t" * 400 + b'","expires_in":36000}'
MODULES = ("/usr/lib/nginx/modules", "/usr/share/nginx/modules", "/usr/lib64/nginx/modules")
ECHO = "ngx_http_echo_module.so"
STARTS_WITHIN_S = 20

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
    """Run a server that answers after this delay, and give its address; stop it after the block."""
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        command = nginx_command(Path(folder), port, delay_s) or [
            *(sys.executable, "-m", "benchmarks.latency_server"),
            *(str(port), str(delay_s)),
        ]
        process = subprocess.Popen(command)  # noqa: S603  (nginx, or this file)
        try:
            wait_for(port, process)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait()


def nginx_command(folder: Path, port: int, delay_s: float) -> list[str] | None:
    """Return the command that starts nginx, or None if nginx or its echo module is missing."""
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    module = next((path for name in MODULES if (path := Path(name, ECHO)).exists()), None)
    if program is None or module is None:
        print("No nginx with the echo module (apt install nginx libnginx-mod-http-echo): asyncio stands in.")
        return None
    sleep = f"echo_sleep {delay_s};" if delay_s else ""
    (folder / "nginx.conf").write_text(
        NGINX.format(
            module=module, folder=folder, port=port, sleep=sleep, list=LIST.decode(), token=TOKEN.decode()
        )
    )
    return [program, "-p", str(folder), "-e", str(folder / "error.log"), "-c", str(folder / "nginx.conf")]


def free_port() -> int:
    """Return a port that is free now."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


def wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    """Return once the server accepts connections."""
    give_up_at = time.monotonic() + STARTS_WITHIN_S
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            if process.poll() is not None or time.monotonic() > give_up_at:
                sys.exit("The latency server does not start.")
            time.sleep(0.05)
        else:
            return


class Latency(asyncio.Protocol):
    """One connection, which answers each request after the delay. The first letter tells the method."""

    def __init__(self, delay_s: float) -> None:
        self._delay_s = delay_s

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer: a client sends a request in one piece, and the next after its answer."""
        is_token = data.startswith(b"POST")
        delay_s = 0.0 if is_token else self._delay_s
        if b"\r\n\r\n" in data:  # otherwise this is the body of a token request
            asyncio.get_running_loop().call_later(delay_s, self._answer, data[:4])

    def _answer(self, method: bytes) -> None:
        if method == b"PUT ":
            head, body = b"HTTP/1.1 204 No Content\r\n", b""
        else:
            body = TOKEN if method == b"POST" else LIST
            head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
            head += b"Content-Length: %d\r\n" % len(body)
        assert isinstance(self._transport, asyncio.WriteTransport)
        self._transport.write(head + b"Date: Sat, 21 Nov 2026 12:00:00 GMT\r\n\r\n" + body)


async def serve(port: int, delay_s: float) -> None:
    """Serve until the process is ended."""
    server = await asyncio.get_running_loop().create_server(lambda: Latency(delay_s), "127.0.0.1", port)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), float(sys.argv[2])))
