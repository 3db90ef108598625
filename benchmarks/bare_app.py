"""A bare Streamlit app beside the dashboard: Streamlit's own time, with which ours is compared."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests.support.ports import free_port


@contextmanager
def run_bare(folder: Path, script: str) -> Iterator[str]:
    """Run this script as an app of its own, and give its address."""
    file = folder / "bare.py"
    file.write_text(script, "utf-8")
    url = f"http://127.0.0.1:{(port := free_port())}"
    command = [sys.executable, "-m", "streamlit", "run", str(file), f"--server.port={port}"]
    process = subprocess.Popen(  # noqa: S603  (our own program)
        [*command, "--server.headless=true"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(url)
        yield url
    finally:
        process.terminate()
        process.wait()


def wait_for(url: str) -> None:
    """Return when the app answers."""
    for _ in range(600):
        try:
            httpx.get(f"{url}/_stcore/health", trust_env=False)
        except httpx.TransportError:
            time.sleep(0.1)
        else:
            return
    sys.exit("The bare app did not start.")
