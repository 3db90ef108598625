"""The connection for other Streamlit apps, on the bundled service over HTTP."""

from collections.abc import Iterator

import pytest
import streamlit as st
from streamlit.runtime.secrets import secrets_singleton
from streamlit.testing.v1 import AppTest

from item_visibility import IdentifierError, ItemKey
from item_visibility.streamlit import VisibilityConnection
from item_visibility_service.server import EmbeddedService
from tests.support.bundled_service import CLIENT_ID, CLIENT_SECRET, OperationLog
from tests.support.screens import ROOT

ITEM = ItemKey("4000001000005", "04012345678901:276")
EXAMPLE = ROOT / "docs/examples/visibility_connection.py"


@pytest.fixture
def secrets(
    service: EmbeddedService, monkeypatch: pytest.MonkeyPatch
) -> Iterator[dict[str, str]]:
    connection = {
        "type": "of no interest to the client",
        "base_url": service.base_url,
        "auth_url": service.auth_url,
        "client_id": CLIENT_ID,
        "client_secret": CLIENT_SECRET,
    }
    monkeypatch.setattr(
        secrets_singleton, "_secrets", {"connections": {"visibility": connection}}
    )
    yield connection
    st.cache_resource.clear()
    st.cache_data.clear()


@pytest.fixture
def connection(
    secrets: dict[str, str],  # noqa: ARG001  # the settings that it reads
) -> Iterator[VisibilityConnection]:
    """Yield a connection that is used outside of an app."""
    opened = VisibilityConnection("visibility")
    yield opened
    opened.close()


def shown(app: AppTest) -> list[str]:
    assert not app.exception
    (table,) = app.dataframe
    return list(table.value["Recipients"])


def reads(log: OperationLog) -> int:
    return sum(one.operation_id == "getVisibilities" for one in log.operations)


@pytest.mark.usefixtures("secrets")
def test_the_example_shows_and_adds_recipients(operation_log: OperationLog) -> None:
    app = AppTest.from_file(EXAMPLE, default_timeout=60).run()
    assert shown(app) == []
    assert (
        shown(app.run())
        == shown(AppTest.from_file(EXAMPLE, default_timeout=60).run())
        == []
    )
    assert reads(operation_log) == 1
    app.text_input(key="recipient").input("R1")
    app.button(key="add_recipient").click().run()
    assert shown(app) == ["R1"]
    assert reads(operation_log) == 2


def test_every_write_passes_through_and_is_seen_by_the_next_read(
    connection: VisibilityConnection,
) -> None:
    seen = []
    for write in (
        lambda: connection.set_visibilities(ITEM, ["R1", "R2"]),
        lambda: connection.add_visibility(ITEM, "R3"),
        lambda: connection.remove_visibility(ITEM, "R1"),
        lambda: connection.remove_visibilities(ITEM),
    ):
        write()
        seen.append(
            [
                connection.get_visibilities(ITEM, ttl=ttl) or frozenset()
                for ttl in (None, 0.5, 60)
            ]
        )
    assert seen == [
        [frozenset(of.split())] * 3 for of in ("R1 R2", "R1 R2 R3", "R2 R3", "")
    ]


def test_a_write_that_fails_clears_the_cache_too(
    connection: VisibilityConnection,
) -> None:
    connection.add_visibility(ITEM, "R1")
    assert connection.get_visibilities(ITEM) == {"R1"}
    connection.client.remove_visibility(ITEM, "R1")
    assert connection.get_visibilities(ITEM) == {"R1"}
    other = VisibilityConnection("visibility")
    assert not other.get_visibilities(ITEM)
    other.close()
    with pytest.raises(IdentifierError):
        connection.add_visibility(ITEM, "")
    assert not connection.get_visibilities(ITEM)


def test_a_missing_secret_is_named(secrets: dict[str, str]) -> None:
    del secrets["auth_url"]
    with pytest.raises(KeyError, match='no key "auth_url"') as caught:
        VisibilityConnection("visibility")
    assert CLIENT_SECRET not in str(caught.value)
