"""The settings that the service needs before it starts."""

import pytest

from item_visibility_service.open_points.switches import Switches
from item_visibility_service.service_settings import (
    ServiceSettings,
    ServiceSettingsError,
    check_host,
    demo_settings,
    holds_password,
)


def test_no_secret_is_in_a_repr() -> None:
    """Neither the client's nor the database's."""
    shown = repr(ServiceSettings("postgresql://u:database-secret@h/d", "client", "client-secret"))

    assert ("database-secret" in shown, "client-secret" in shown) == (False, False)


@pytest.mark.parametrize(("client_id", "client_secret"), [("", "s"), ("c", "")])
def test_a_client_without_id_or_secret_is_refused(client_id: str, client_secret: str) -> None:
    """An empty secret would be everybody's."""
    with pytest.raises(ServiceSettingsError):
        ServiceSettings("sqlite:///x", client_id, client_secret)


def test_the_switches_are_the_ordinary_ones_unless_given() -> None:
    """A service that nobody switched replaces, answers 404 for empty, and does not fail."""
    assert demo_settings("sqlite:///x").switches == Switches()


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "::1", "localhost"])
def test_the_demo_listens_on_loopback(host: str) -> None:
    """Its secret is no secret."""
    check_host(demo_settings("sqlite:///x"), host)

    assert demo_settings("sqlite:///x").client_secret == "demo"


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org", ""])
def test_the_demo_listens_nowhere_else(host: str) -> None:
    """Others could change what they like."""
    with pytest.raises(ServiceSettingsError, match="Everybody knows the secret"):
        check_host(demo_settings("sqlite:///x"), host)


def test_a_service_with_a_secret_of_its_own_listens_anywhere() -> None:
    """The operator decides."""
    settings = ServiceSettings("sqlite:///x", "client", "a secret")

    check_host(settings, "0.0.0.0")

    assert settings.client_secret != "demo"


@pytest.mark.parametrize(
    ("url", "is_held"),
    [
        ("postgresql://u:p@h/d", True),
        ("postgresql+psycopg://u@h/d?password=p", True),
        ("postgresql://u@h:5432/d", False),
        ("sqlite:////folder/a@b:c.sqlite", False),
    ],
)
def test_a_password_in_the_address_of_a_database_is_found(url: str, *, is_held: bool) -> None:
    """Before the host, or as a parameter; a port is none."""
    assert holds_password(url) is is_held
