"""The service keeps what its own OpenAPI document says."""

import json
import os
import re
import subprocess
import sys
from importlib import resources
from pathlib import Path

import httpx
import pytest

from item_visibility_service.server import EmbeddedService
from tests.support.bundled_service import fetch_token
from tests.support.thorough import how_many

DOCUMENT = json.loads(resources.files("item_visibility_service").joinpath("openapi.json").read_text("utf-8"))
CASES_AN_OPERATION = how_many(usual=15, thorough=340)


@pytest.mark.contract
def test_schemathesis_finds_nothing(service: EmbeddedService, tmp_path: Path) -> None:
    command = [
        *(sys.executable, "-m", "schemathesis.cli", "run", f"{service.base_url}/openapi.json"),
        *("--url", service.base_url, "--header", f"Authorization: Bearer {fetch_token(service)}"),
        *("--max-examples", str(CASES_AN_OPERATION), "--generation-deterministic", "--no-color"),
        *("--exclude-checks", "use_after_free"),  # it does not see that addVisibility brings an item back
    ]
    environ = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    run = subprocess.run(  # none of its lines is ours: counting them takes minutes
        command, check=False, capture_output=True, cwd=tmp_path, env=environ, text=True, timeout=280
    )
    counted = re.search(r"(\d+) generated, (\d+) passed", run.stdout)
    assert counted is not None, run.stdout
    generated, passed = (int(count) for count in counted.groups())
    assert (run.returncode, passed) == (0, generated), run.stdout
    assert generated >= 8 * CASES_AN_OPERATION


@pytest.mark.contract
def test_the_document_is_served_to_everybody(service: EmbeddedService) -> None:
    answer = httpx.get(f"{service.base_url}/openapi.json", trust_env=False)
    assert (answer.json(), answer.headers["content-type"]) == (DOCUMENT, "application/json")
