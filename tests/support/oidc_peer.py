"""An independent OpenID provider for tests: node's `oidc-provider`, installed by npm at first use.

Without node or a package registry, the tests that need the peer are skipped and say why.
"""

import json
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

VERSION = "9.13.3"
PROGRAM = Path(__file__).with_name("oidc_provider.mjs")
CACHE = Path(__file__).parents[2] / ".cache" / f"oidc-provider-{VERSION}"
CLIENT_ID = "peer client"
CLIENT_SECRET = "p@ss:w%rd&=+y never-shown"
INSTALL_WITHIN_S = 90


@dataclass(frozen=True, slots=True)
class OidcPeer:
    """A running provider: {auth_url} and the address of its public keys."""

    auth_url: str
    jwks_url: str


@contextmanager
def run_oidc_peer(*, lifetime_s: int) -> Iterator[OidcPeer]:
    """Run a provider for the block, whose tokens live this many seconds."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node on this machine")
    environment = os.environ | {"PEER_CLIENT_ID": CLIENT_ID, "PEER_CLIENT_SECRET": CLIENT_SECRET}
    program = shutil.copy(PROGRAM, _installed())
    with subprocess.Popen(
        [node, program, str(lifetime_s)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line, "the provider did not start"
            yield OidcPeer(**json.loads(line))
        finally:
            process.kill()


def _installed() -> Path:
    """Return the folder with the provider and its dependencies, installed once and moved in as a whole."""
    if CACHE.is_dir():
        return CACHE
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("there is no npm on this machine")
    CACHE.parent.mkdir(exist_ok=True)
    folder = Path(tempfile.mkdtemp(dir=CACHE.parent))
    (folder / "package.json").write_text(json.dumps({"private": True, "type": "module"}))
    own_settings = Path(pwd.getpwuid(os.getuid()).pw_dir, ".npmrc")
    command = [npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", f"oidc-provider@{VERSION}"]
    try:
        subprocess.run(
            command,
            cwd=folder,
            env=os.environ | {"NPM_CONFIG_USERCONFIG": str(own_settings)},
            capture_output=True,
            check=True,
            timeout=INSTALL_WITHIN_S,
        )
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        shutil.rmtree(folder)
        pytest.skip("npm could not fetch oidc-provider")
    try:
        folder.rename(CACHE)
    except OSError:
        shutil.rmtree(folder)
    return CACHE
