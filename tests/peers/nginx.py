"""A real nginx with the configuration of `deploy/nginx`, in front of programs on this
machine.
"""

import os
import pwd
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support.listening import free_port
from tests.support.own_authority import write_certificates
from tests.support.program import ROOT, Program

SHIPPED = ROOT / "deploy/nginx"
BASE_PATH = "/visibility"
WINDOWS_PER_ADDRESS = 1000
_MAIN = """
daemon off; pid {folder}/nginx.pid; user {user};
events {{
    worker_connections 768;
}}
http {{
    log_format who "$request_method $uri $status $upstream_addr";
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/f;
    uwsgi_temp_path {folder}/u;
    scgi_temp_path {folder}/s;
    include conf.d/item-visibility.conf;
}}
"""
_ADDRESS = """
listen 127.0.0.1:{port} ssl;
ssl_certificate {certificate}; ssl_certificate_key {certificate};
"""


@dataclass(frozen=True, slots=True)
class Nginx:
    """A running nginx: its address, the authority of its certificate, and its log."""

    url: str
    ca_file: Path
    folder: Path

    def log_lines(self, *parts: str) -> list[str]:
        """Return the log lines that contain all of these parts: method, path, status
        and replica.
        """
        lines = (self.folder / "access.log").read_text("utf-8").splitlines()
        return [line for line in lines if all(part in line for part in parts)]


def find_nginx() -> str | None:
    """Return the program or None.

    Debian installs it in a folder that only root has on the PATH.
    """
    return shutil.which("nginx") or shutil.which(
        "nginx", path="/usr/sbin:/usr/local/sbin"
    )


def _write_main_file(folder: Path) -> None:
    """Write nginx's own file.

    It has the limits of Debian's file after the command in deploy/README.md.
    """
    file = folder / "nginx.conf"
    user = pwd.getpwuid(os.getuid()).pw_name
    file.write_text(_MAIN.format(folder=folder, user=user), "utf-8")
    readme = (SHIPPED.parent / "README.md").read_text("utf-8")
    (command,) = re.findall(
        r"^(sed -i .*) /etc/nginx/nginx\.conf$", readme, re.MULTILINE
    )
    subprocess.run(["/bin/sh", "-c", f'{command} "$1"', "sh", file], check=True)
    assert "worker_connections 8192" in file.read_text("utf-8")


@contextmanager
def run_nginx(
    folder: Path,
    ports: Mapping[str, int],
    *,
    windows_per_address: int = WINDOWS_PER_ADDRESS,
) -> Iterator[Nginx]:
    """Run nginx for the block.

    `ports` maps the ports in the shipped replicas.conf to the ports to use.
    """
    program = find_nginx()
    assert program is not None
    shutil.copytree(SHIPPED, folder, dirs_exist_ok=True)
    port = free_port()
    ca_file, certificate = write_certificates(folder)

    # Replace the ports of the replicas, and the folder of the logs.
    replicas = folder / "item-visibility/replicas.conf"
    text = replicas.read_text("utf-8")
    for shipped, real in ports.items():
        text = text.replace(f"127.0.0.1:{shipped}", f"127.0.0.1:{real}")
    replicas.write_text(text, "utf-8")
    main = folder / "conf.d/item-visibility.conf"
    own_log = (
        f"access_log {folder}/access.log who; access_log {folder}/item-visibility.log"
    )
    text = main.read_text("utf-8").replace(
        "access_log         /var/log/nginx/item-visibility.log", own_log
    )
    limit = "item_visibility_open_windows {};".format
    assert limit(WINDOWS_PER_ADDRESS) in text
    text = text.replace(limit(WINDOWS_PER_ADDRESS), limit(windows_per_address))
    main.write_text(text.replace("/var/log/nginx", str(folder)), "utf-8")

    address = _ADDRESS.format(port=port, certificate=certificate)
    (folder / "item-visibility/address.conf").write_text(address, "utf-8")
    _write_main_file(folder)
    command = [
        program,
        "-p",
        str(folder),
        "-c",
        str(folder / "nginx.conf"),
        "-e",
        str(folder / "error.log"),
    ]
    nginx = Nginx(f"https://127.0.0.1:{port}", ca_file, folder)
    process = Program(
        command, log=folder / "output.log", ready_url=nginx.url, any_answer=True
    )
    try:
        process.start()
        yield nginx
    finally:
        process.stop()
