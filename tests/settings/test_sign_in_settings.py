"""Settings of the sign-in, and the words on a wrong configuration of it."""

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

import pytest

from item_visibility.access.sign_in import SignInRules
from item_visibility.errors import SettingsError
from item_visibility.settings import read_settings

AUTH = {
    "redirect_uri": "https://visibility.example.com/oauth2callback",
    "cookie_secret": "0123456789abcdef0123456789abcdef",
    "client_id": "dashboard",
    "client_secret": "hush",
    "server_metadata_url": "https://login.example.com/realms/company/.well-known/openid-configuration",
}


def auth(**changed: str) -> str:
    """A section [auth]; an empty value takes a key out."""
    lines = [f"{key} = '{value}'" for key, value in (AUTH | changed).items() if value]
    return "\n".join(["[auth]", *lines, ""])


def read(tmp_path: Path, toml: str = "", environ: Mapping[str, str] | None = None) -> SignInRules | None:
    secrets = tmp_path / "secrets.toml"
    secrets.write_text(toml, "utf-8")
    return read_settings(
        environ or {}, secrets_path=secrets, data_folder=tmp_path, needs_service=False
    ).sign_in


def refusal(tmp_path: Path, toml: str = "", environ: Mapping[str, str] | None = None) -> str:
    """The words of the error that these settings lead to, without where the file is."""
    with pytest.raises(SettingsError) as caught:
        read(tmp_path, toml, environ)
    return caught.value.message.replace(f" in {tmp_path / 'secrets.toml'}", "")


def test_without_either_nobody_signs_in(tmp_path: Path) -> None:
    assert read(tmp_path) is None


def test_the_section_that_streamlit_reads_is_enough(tmp_path: Path) -> None:
    rules = SignInRules(issuer="https://login.example.com/realms/company", client_id="dashboard")
    assert read(tmp_path, auth() + '[auth.client_kwargs]\nscope = "openid"\n') == rules


def test_our_own_settings_are_added_to_it(tmp_path: Path) -> None:
    section = '[sign_in]\nissuer = "https://x.example.com/"\nroles_claim = "groups"\nhours = 4\n'
    assert read(tmp_path, auth() + section, {"ITEM_VISIBILITY_SIGN_IN_HOURS": "0.5"}) == SignInRules(
        issuer="https://x.example.com/",
        client_id="dashboard",
        roles_claim="groups",
        lasts=timedelta(minutes=30),
    )


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"client_secret": "", "cookie_secret": ""},
            "[auth] is not complete. Missing: cookie_secret, client_secret.",
        ),
        ({"cookie_secret": "short"}, "cookie_secret of [auth] has fewer than 32 characters."),
        (
            {"redirect_uri": "http://visibility.example.com/oauth2callback"},
            "[auth], redirect_uri: The address is not secure: it begins with http.",
        ),
        (
            {"redirect_uri": "http://localhost:{port}/"},
            "[auth], redirect_uri: The address does not end in /oauth2callback.",
        ),
        (
            {"server_metadata_url": "https://login.example.com"},
            "[auth], server_metadata_url: The address does not end in /.well-known/openid-configuration.",
        ),
        (
            {"provider": "x"},
            "[auth] has a setting that is not known: provider.",
        ),
    ],
)
def test_half_a_sign_in_is_refused(tmp_path: Path, changed: dict[str, str], message: str) -> None:
    assert refusal(tmp_path, auth(**changed)) == message


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        ("auth = 1\n", "[auth] is not a table."),
        (auth() + "[sign_in]\nhours = true\n", "hours of [sign_in] is not a text."),
        (auth() + "[sign_in]\nhour = 1\n", "[sign_in] has a setting that is not known: hour."),
        (auth() + "[sign_in]\nhours = 0\n", "[sign_in], hours is not a number up to 168."),
        (auth() + "[sign_in]\nhours = 169\n", "[sign_in], hours is not a number up to 168."),
        (auth() + '[sign_in]\nhours = "eight"\n', "[sign_in], hours is not a number up to 168."),
        ("[sign_in]\nhours = 8\n", "[sign_in] has settings, but there is no sign-in."),
    ],
)
def test_what_cannot_be_meant_is_refused(tmp_path: Path, toml: str, message: str) -> None:
    assert refusal(tmp_path, toml) == message


def test_a_sign_in_for_some_is_not_open_to_everyone(tmp_path: Path) -> None:
    words = refusal(tmp_path, auth(), {"ITEM_VISIBILITY_OPEN": "yes-everyone-may-write"})
    assert words == "ITEM_VISIBILITY_OPEN lets everyone write, but people sign in here."
