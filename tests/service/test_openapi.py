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

from item_visibility_service.requests import MAX_ID_CHARACTERS
from item_visibility_service.server import EmbeddedService
from item_visibility_service.store import MAX_RECIPIENTS
from item_visibility_service.tokens import SCOPE
from tests.support.bundled_service import TOKEN_PATH, fetch_token
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


def test_the_document_has_the_five_operations_of_the_specification() -> None:
    """Method, path and name of each. Spec: "Endpoints"."""
    operations = {
        (operation["operationId"], method, path)
        for path, methods in DOCUMENT["paths"].items()
        for method, operation in methods.items()
        if method != "parameters"
    }

    item = "/itemvisibilities/{supplier}/{supplierItemId}"
    assert operations == {
        ("getVisibilities", "get", item),
        ("setVisibilities", "put", item),
        ("removeVisibilities", "delete", item),
        ("addVisibility", "put", f"{item}/recipient/{{recipientId}}"),
        ("removeVisibility", "delete", f"{item}/recipient/{{recipientId}}"),
    }


def test_the_document_says_the_limits_that_the_service_has() -> None:
    put = DOCUMENT["paths"]["/itemvisibilities/{supplier}/{supplierItemId}"]["put"]
    flow = DOCUMENT["components"]["securitySchemes"]["clientCredentials"]["flows"]["clientCredentials"]

    assert put["requestBody"]["content"]["application/json"]["schema"]["maxItems"] == MAX_RECIPIENTS
    assert DOCUMENT["components"]["schemas"]["Identifier"]["maxLength"] == MAX_ID_CHARACTERS
    assert (flow["tokenUrl"], list(flow["scopes"])) == (TOKEN_PATH, [SCOPE])


@pytest.mark.parametrize("refused", ["", ".", "..", "a\x00", "\x1f", "\x7f", "a\x85"])
def test_the_pattern_of_identifiers_refuses_what_the_service_refuses(refused: str) -> None:
    assert not re.fullmatch(DOCUMENT["components"]["schemas"]["Identifier"]["pattern"], refused)


@pytest.mark.parametrize("taken", ["a", "...", ".a", "a/b", " ", "ä", "\N{SHOPPING BAGS}"])
def test_the_pattern_of_identifiers_takes_what_the_service_takes(taken: str) -> None:
    assert re.fullmatch(DOCUMENT["components"]["schemas"]["Identifier"]["pattern"], taken)
