"""A program that a test starts, in its own process group, with its output in a file."""

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import httpx

ROOT = Path(__file__).resolve().parents[2]
_STARTS_WITHIN_S = 240
_STOPS_WITHIN_S = 60


class Program:
    """A program that can be started, ended, and started again.

    Attributes:
        log: the file with its output.
        ready_url: the address that answers 200 once the program is ready; with
            `any_answer`, any status.
        variables: environment variables of the program, in addition to those of the
            test.
    """

    def __init__(  # noqa: PLR0913  (each is a property of the program)
        self,
        command: Sequence[str | Path],
        *,
        log: Path,
        ready_url: str,
        cwd: Path = ROOT,
        variables: Mapping[str, str] | None = None,
        any_answer: bool = False,
    ) -> None:
        self.log = log
        self.ready_url = ready_url
        self.variables = dict(variables or {})
        self._command = command
        self._cwd = cwd
        self._any_answer = any_answer
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        return self._running().pid

    def begin(self) -> None:
        """Start the program unless it is running, and do not wait until it is ready.

        It gets no variables of coverage, because other tests measure the same lines in
        less time.
        """
        if self._process is not None and self._process.poll() is None:
            return
        inherited = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("COVERAGE_")
        }
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command,
                cwd=self._cwd,
                env={**inherited, **self.variables},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def wait(self) -> None:
        """Return once the program is ready.

        Fail with its output if it ends or takes too long.
        """
        ends_at = time.monotonic() + _STARTS_WITHIN_S
        while time.monotonic() < ends_at and self._running().poll() is None:
            try:
                answer = httpx.get(
                    self.ready_url,
                    trust_env=False,
                    verify=False,  # noqa: S501  (only asks whether it answers)
                    timeout=60,
                )
            except httpx.TransportError:
                time.sleep(0.05)
                continue
            if self._any_answer or answer.status_code == httpx.codes.OK:
                return
        self.kill()
        raise RuntimeError(
            "The program did not start: "
            f"{self.log.read_text('utf-8', 'replace')[-5000:]}"
        )

    def start(self) -> None:
        self.begin()
        self.wait()

    def ask_to_end(self) -> None:
        """Send SIGTERM, as a deployment does, and do not wait."""
        self._running().terminate()

    def ended(self) -> int:
        return self._running().wait(_STOPS_WITHIN_S)

    def stop(self) -> None:
        """Ask the program to end, and kill it if that takes too long.

        Do nothing if it is not running.
        """
        if self._process is not None and self._process.poll() is None:
            self.ask_to_end()
            try:
                self.ended()
            except subprocess.TimeoutExpired:
                self.kill()

    def kill(self) -> None:
        """Kill the program and the processes that it started, as a power cut would."""
        if self._process is not None and self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait(_STOPS_WITHIN_S)

    def _running(self) -> "subprocess.Popen[bytes]":
        assert self._process is not None
        return self._process
