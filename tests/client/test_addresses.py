"""Only safe addresses are used. Spec: "Versioning", "Authentication"."""

import pytest

from item_visibility.client.addresses import check_auth_url, check_base_url, service_of
from item_visibility.errors import SettingsError


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("https://api.example.com/v1", "https://api.example.com/v1"),
        ("https://api.example.com/v1/", "https://api.example.com/v1"),
        ("https://api.example.com:8443/some/where/v1", "https://api.example.com:8443/some/where/v1"),
        ("https://10.0.0.7/v1", "https://10.0.0.7/v1"),
        ("https://[2001:db8::1]/v1", "https://[2001:db8::1]/v1"),
        ("http://127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1"),
        ("http://localhost:8000/v1", "http://localhost:8000/v1"),
        ("http://[::1]:8000/v1", "http://[::1]:8000/v1"),
    ],
)
def test_a_safe_base_address_loses_its_last_slash_only(text: str, address: str) -> None:
    assert check_base_url(text) == address


@pytest.mark.parametrize(
    ("text", "words"),
    [
        *(
            (text, "is not a valid web address")
            for text in (
                "",
                "api.example.com/v1",
                "ftp://api.example.com/v1",
                "https://api.example.com:port/v1",
                "https://[::1/v1",
                "https:///v1",
                "https://a..b/v1",
                f"https://{'a' * 64}.com/v1",
                "https://api.example.com/ /v1",
                "https://api.example.com/v1\n",
                "https://äpi.example.com/v1",
            )
        ),
        ("https://user:word@api.example.com/v1", "contains a user name"),
        ("https://@api.example.com/v1", "contains a user name"),
        ("https://api.example.com/v1?x=1", "contains a query"),
        ("https://api.example.com/v1?", "contains a query"),
        ("https://api.example.com/v1#", "contains a query or a fragment"),
        ("https://api.example.com//v1", "path of the base address cannot be used"),
        ("https://api.example.com/../v1", "path of the base address cannot be used"),
        ("https://api.example.com/./v1", "path of the base address cannot be used"),
        ("https://api.example.com/a|b/v1", "path of the base address cannot be used"),
        ("http://api.example.com/v1", "is not secure"),
        ("http://127.0.0.1.example.com/v1", "is not secure"),
        ("http://10.0.0.7/v1", "is not secure"),
        ("https://api.example.com", "does not end in /v1"),
        ("https://api.example.com/v1beta", "does not end in /v1"),
        ("https://api.example.com/v11", "does not end in /v1"),
        ("https://api.example.com/xv1", "does not end in /v1"),
    ],
)
def test_an_unsafe_base_address_is_refused_with_advice(text: str, words: str) -> None:
    with pytest.raises(SettingsError, match=words) as caught:
        check_base_url(text)
    assert caught.value.advice


@pytest.mark.parametrize(
    ("text", "service"),
    [
        ("https://api.example.com/v1", "https://api.example.com/v1"),
        ("HTTPS://Api.Example.COM:443/v1", "https://api.example.com/v1"),
        ("http://localhost:80/v1", "http://localhost/v1"),
        ("https://api.example.com:8443/v1", "https://api.example.com:8443/v1"),
        ("https://[2001:DB8:0::1]/v1", "https://[2001:db8::1]/v1"),
        ("https://api.example.com/Some/v1", "https://api.example.com/Some/v1"),
    ],
)
def test_two_ways_to_write_an_address_are_one_service(text: str, service: str) -> None:
    assert service_of(text) == service


def test_an_auth_address_needs_no_version() -> None:
    assert check_auth_url("https://login.example.com/") == "https://login.example.com"


@pytest.mark.parametrize("path", ["/auth", "/auth/", "/auth/realms/platform-api", "/x/realms/y"])
def test_an_auth_address_that_goes_on_too_far_is_refused(path: str) -> None:
    """The rest of the path is added to it: there would be no tokens. Spec: "Authentication"."""
    with pytest.raises(SettingsError, match="contains a part of the path"):
        check_auth_url(f"https://login.example.com{path}")


def test_a_message_never_repeats_the_address() -> None:
    with pytest.raises(SettingsError) as caught:
        check_auth_url("https://user:never-shown@login.example.com")
    assert "never-shown" not in f"{caught.value.message}{caught.value.advice}{caught.value!r}"
