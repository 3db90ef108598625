"""Replicas of the dashboard as a company runs them: the command, a base path, one PostgreSQL."""

import os
import subprocess
import sys
import time
from pathlib import Path

import httpx

from tests.support.plain_http import NO_TLS
from tests.support.ports import free_port

ROOT = Path(__file__).resolve().parents[2]
BASE_PATH = "/visibility"
_STARTS_WITHIN_S = 120
_STOPS_WITHIN_S = 60


class Replica:
    """One process of the dashboard, which can be killed and started again on its port.

    Attributes:
        variables: what it is started with.
    """

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.log = folder / f"replica-{self.port}.log"
        self.variables = {"XDG_DATA_HOME": str(folder)}
        self._process: subprocess.Popen[bytes] | None = None

    def begin(self) -> None:
        """Start it unless it runs, and do not wait."""
        if self._process is not None and self._process.poll() is None:
            return
        options = ["--port", str(self.port), "--base-path", BASE_PATH, "--no-browser"]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "item_visibility", "dashboard", *options],
                cwd=ROOT,
                env={**os.environ, **self.variables},
                stdout=log,
                stderr=log,
            )

    def wait(self) -> None:
        """Return when it is ready, as a load balancer asks."""
        address = f"http://127.0.0.1:{self.port}/readyz"
        ends_at = time.monotonic() + _STARTS_WITHIN_S
        while time.monotonic() < ends_at:
            try:
                if httpx.get(address, trust_env=False, verify=NO_TLS).is_success:
                    return
            except httpx.TransportError:
                time.sleep(0.05)
        raise RuntimeError(f"The replica did not start: {self.log.read_text('utf-8', 'replace')}")

    def kill(self) -> None:
        """End it at once, as a power failure does."""
        assert self._process is not None
        self._process.kill()
        self._process.wait(_STOPS_WITHIN_S)

    def ask_to_end(self) -> None:
        """Send the signal with which a deployment ends it, and do not wait."""
        assert self._process is not None
        self._process.terminate()

    def ended(self) -> int:
        """Wait for its end, and return its status."""
        assert self._process is not None
        return self._process.wait(_STOPS_WITHIN_S)

    def stop(self) -> None:
        """End it well, if it still runs."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            self._process.wait(_STOPS_WITHIN_S)
