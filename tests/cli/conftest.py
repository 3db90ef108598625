"""A configured service, which the commands need."""

import pytest


@pytest.fixture(autouse=True)
def configured_service(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some service, which no test asks: every command but `demo` needs one."""
    for name, value in {
        "BASE_URL": "http://127.0.0.1:9/v1",
        "AUTH_URL": "http://127.0.0.1:9",
        "CLIENT_ID": "us",
        "CLIENT_SECRET": "hush",
    }.items():
        monkeypatch.setenv(f"ITEM_VISIBILITY_{name}", value)
