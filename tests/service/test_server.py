"""The running service: its start, its OpenAPI document, and its sample data."""

import json
import os
import re
import socket
import subprocess
import sys
from importlib import resources
from pathlib import Path

import httpx
import pytest

from item_visibility_service.requests import check_identifier
from item_visibility_service.sample_data import (
    AWKWARD_ITEM,
    EMPTY_ITEM,
    LARGE_ITEM,
    SHOWCASE,
    invented_names,
    sample_visibilities,
)
from item_visibility_service.server import EmbeddedService, run_service
from item_visibility_service.settings import (
    ServiceSettings,
    ServiceSettingsError,
    demo_settings,
    holds_password,
)
from item_visibility_service.store import Item, Store
from tests.support.bundled_service import fetch_token, sqlite_url
from tests.support.listening import free_port
from tests.support.long_headers import status_of
from tests.support.thorough import how_many

contract = pytest.mark.contract


@contract
@pytest.mark.parametrize(
    ("host", "start"), [("127.0.0.1", "http://127.0.0.1:"), ("::1", "http://[::1]:")]
)
def test_an_embedded_service_answers_once_it_is_started(
    tmp_path: Path, host: str, start: str
) -> None:
    with EmbeddedService(demo_settings(sqlite_url(tmp_path)), host=host) as running:
        health = httpx.get(f"{running.auth_url}/healthz", trust_env=False)
        ready = httpx.get(f"{running.auth_url}/readyz", trust_env=False)
    assert health.status_code == 200
    assert health.json() == {"status": "ok"}
    assert ready.status_code == 200
    assert ready.json() == {"status": "ok", "version": "unknown"}
    assert running.auth_url.startswith(start)
    assert running.base_url == f"{running.auth_url}/v1"


@contract
@pytest.mark.parametrize("size", [8_000, 31 * 1024, 32 * 1024])
def test_long_headers_are_accepted_however_they_arrive(
    tmp_path: Path, size: int
) -> None:
    with EmbeddedService(demo_settings(sqlite_url(tmp_path))) as running:
        port = int(running.auth_url.rpartition(":")[2])
        assert status_of(port, size, path="/healthz") == 200
        assert status_of(port, size, path="/healthz", is_in_parts=True) == 200


@contract
def test_a_request_to_open_a_web_socket_is_answered(tmp_path: Path) -> None:
    with EmbeddedService(demo_settings(sqlite_url(tmp_path))) as running:
        port = int(running.auth_url.rpartition(":")[2])
        assert status_of(port, 1_000, path="/healthz", is_web_socket=True) == 200
        assert status_of(port, 31 * 1024, path="/healthz", is_web_socket=True) == 200


@contract
def test_a_taken_port_is_an_error(tmp_path: Path) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        pytest.raises(OSError, match="in use"),
    ):
        EmbeddedService(
            demo_settings(sqlite_url(tmp_path)), port=server.getsockname()[1]
        )


@contract
def test_a_service_that_cannot_start_frees_its_port() -> None:
    port = free_port()
    with pytest.raises(ServiceSettingsError):
        EmbeddedService(demo_settings("sqlite://"), port=port)
    socket.create_server(("127.0.0.1", port)).close()


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "example.org", ""])
def test_a_demo_listens_on_loopback_only(tmp_path: Path, host: str) -> None:
    settings = demo_settings(sqlite_url(tmp_path))
    with pytest.raises(ServiceSettingsError, match="secret is public"):
        EmbeddedService(settings, host=host)
    with pytest.raises(ServiceSettingsError, match="secret is public"):
        run_service(settings, host=host, port=0)
    assert list(tmp_path.iterdir()) == []


def test_no_secret_is_in_a_repr() -> None:
    shown = repr(
        ServiceSettings("postgresql://u:database-secret@h/d", "client", "client-secret")
    )
    assert "database-secret" not in shown
    assert "client-secret" not in shown


@pytest.mark.parametrize(("client_id", "client_secret"), [("", "s"), ("c", "")])
def test_a_client_without_id_or_secret_is_refused(
    client_id: str, client_secret: str
) -> None:
    with pytest.raises(ServiceSettingsError):
        ServiceSettings("sqlite:///x", client_id, client_secret)


@pytest.mark.parametrize(
    ("url", "is_found"),
    [
        ("postgresql://u:p@h/d", True),
        ("postgresql+psycopg://u@h/d?password=p", True),
        ("postgresql://u@h:5432/d", False),
        ("sqlite:////folder/a@b:c.sqlite", False),
    ],
)
def test_a_password_in_the_address_of_a_database_is_found(
    url: str, *, is_found: bool
) -> None:
    assert holds_password(url) is is_found


FILE = resources.files("item_visibility_service").joinpath("openapi.json")
DOCUMENT = json.loads(FILE.read_text("utf-8"))
CASES_AN_OPERATION = how_many(usual=15, thorough=340)


@pytest.mark.contract
def test_schemathesis_finds_nothing(service: EmbeddedService, tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "schemathesis.cli",
        "run",
        f"{service.base_url}/openapi.json",
        "--url",
        service.base_url,
        "--header",
        f"Authorization: Bearer {fetch_token(service)}",
        "--max-examples",
        str(CASES_AN_OPERATION),
        "--generation-deterministic",
        "--no-color",
        # `addVisibility` may create an item again.
        "--exclude-checks",
        "use_after_free",
    ]
    # Do not measure coverage, which would take minutes.
    environ = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("COVERAGE_")
    }
    run = subprocess.run(
        command,
        check=False,
        capture_output=True,
        cwd=tmp_path,
        env=environ,
        text=True,
        timeout=280,
    )
    counted = re.search(r"(\d+) generated, (\d+) passed", run.stdout)
    assert counted is not None, run.stdout
    generated, passed = (int(count) for count in counted.groups())
    assert run.returncode == 0, run.stdout
    assert passed == generated, run.stdout
    assert generated >= 8 * CASES_AN_OPERATION


@pytest.mark.contract
def test_the_openapi_document_is_served_to_everybody(service: EmbeddedService) -> None:
    answer = httpx.get(f"{service.base_url}/openapi.json", trust_env=False)
    assert answer.json() == DOCUMENT
    assert answer.headers["content-type"] == "application/json"


NAMES = invented_names()
VISIBILITIES = sample_visibilities()


def is_valid(number: str) -> bool:
    """Return True if the check digit is right: with weights 3 and 1 from the right, the
    sum ends in 0.
    """
    digits = [int(digit) for digit in reversed(number)]
    return (sum(digits[::2]) + 3 * sum(digits[1::2])) % 10 == 0


def test_every_number_has_a_valid_check_digit() -> None:
    glns = [supplier for supplier, _ in NAMES.suppliers]
    glns += [recipient for recipient, _ in NAMES.recipients[:-7]]
    gtins = [item.partition(":")[0] for _, item, _, _ in NAMES.items]
    assert {(len(gln), gln[:3], is_valid(gln)) for gln in glns} == {(13, "952", True)}
    assert {(len(gtin), gtin[:4], is_valid(gtin)) for gtin in gtins} == {
        (14, "0952", True)
    }
    assert sorted(NAMES.recipients)[-7:] == sorted(NAMES.recipients[-7:])


@pytest.mark.parametrize(
    ("item", "count"),
    [(SHOWCASE, 12), (LARGE_ITEM, 5000), (EMPTY_ITEM, 0), (AWKWARD_ITEM, 10)],
)
def test_the_sample_items_have_the_recipients_that_their_names_promise(
    item: tuple[str, str], count: int
) -> None:
    assert len(VISIBILITIES[Item(*item)]) == count
    assert item in {(supplier, item_id) for supplier, item_id, _, _ in NAMES.items}


def test_the_service_accepts_every_id_of_the_sample() -> None:
    ids = set()
    for item, recipients in VISIBILITIES.items():
        ids |= {item.supplier, item.supplier_item_id, *recipients}
    assert {check_identifier("id", text) for text in ids} == ids


def test_the_sample_is_loaded_once(sqlite_store: Store) -> None:
    sqlite_store.load(sample_visibilities())
    sqlite_store.remove_all(Item(*SHOWCASE))
    sqlite_store.load(sample_visibilities())
    assert sqlite_store.recipients(Item(*SHOWCASE)) == ()
    assert len(sqlite_store.recipients(Item(*LARGE_ITEM))) == 5000
