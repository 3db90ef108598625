"""No secret of the configuration is shown, whatever is wrong with it."""

import traceback
from pathlib import Path

import pytest

from item_visibility.errors import SettingsError
from item_visibility.settings import read_settings

CLIENT, OTHER, PROXY, DATABASE = "client&s%cret", "other-s3cret-of-us", "pr0xy-p@ss&word", "datab@se-p4ssword"
COOKIE, SIGN_IN = "c00kie-secret-that-is-long-enough-for-it", "s1gn-in-secret"
SECRETS = (CLIENT, OTHER, PROXY, DATABASE, COOKIE, SIGN_IN)
PROXY_URL = "http://user:pr0xy-p%40ss%26word@proxy.example.com:3128"
ENVIRON = {
    "ITEM_VISIBILITY_BASE_URL": "https://api.example.com/v1",
    "ITEM_VISIBILITY_AUTH_URL": "https://login.example.com",
    "ITEM_VISIBILITY_CLIENT_ID": "us",
    "ITEM_VISIBILITY_CLIENT_SECRET": CLIENT,
    "ITEM_VISIBILITY_PROXY": PROXY_URL,
    "ITEM_VISIBILITY_DATABASE_URL": f"postgresql://us:{DATABASE.replace('@', '%40')}@db.example.com/it",
}
TOML = f"""
[connections.other]
base_url = "https://other.example.com/v1"
auth_url = "https://login.example.com"
client_id = "us"
client_secret = "{OTHER}"
[auth]
redirect_uri = "https://dash.example.com/oauth2callback"
cookie_secret = "{COOKIE}"
client_id = "dashboard"
client_secret = "{SIGN_IN}"
server_metadata_url = "https://login.example.com/realms/company/.well-known/openid-configuration"
"""
MISTAKES = {
    "a variable that is not known": ({"ITEM_VISIBILITY_CLIENT_SECRT": CLIENT}, TOML),
    "an incomplete connection": ({"ITEM_VISIBILITY_BASE_URL": ""}, TOML),
    "two secrets": ({"ITEM_VISIBILITY_CLIENT_SECRET_FILE": "file"}, TOML),
    "a proxy that is none": ({"ITEM_VISIBILITY_PROXY": PROXY_URL.replace("3128", "x")}, TOML),
    "an address with a password": (
        {"ITEM_VISIBILITY_BASE_URL": f"https://us:{CLIENT}@api.example.com"},
        TOML,
    ),
    "a key that is not known": ({}, TOML.replace("[auth]", f'secret = "{OTHER}"\n[auth]')),
    "a value that is no text": ({}, TOML.replace(f'"{OTHER}"', f'["{OTHER}"]')),
    "a section that is no table": ({}, f'connections = "{OTHER}"'),
    "a cookie secret that is too short": ({}, TOML.replace(COOKIE, COOKIE[:9])),
    "an address of the sign-in that is none": ({}, TOML.replace("oauth2callback", "elsewhere")),
}


def write(folder: Path, toml: str) -> Path:
    path = folder / "secrets.toml"
    path.write_text(toml, "utf-8")
    return path


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_shows_no_secret(mistake: str, tmp_path: Path) -> None:
    more, toml = MISTAKES[mistake]
    path = write(tmp_path, toml)
    with pytest.raises(SettingsError) as caught:
        read_settings(ENVIRON | more, secrets_path=path)
    error = caught.value
    words = f"{error!r} {error.advice} {''.join(traceback.format_exception(error))}"
    assert [secret for secret in SECRETS if secret in words] == []


def test_the_settings_show_no_secret(tmp_path: Path) -> None:
    settings = read_settings(ENVIRON, secrets_path=write(tmp_path, TOML))
    first, other = settings.environments
    assert [secret for secret in SECRETS if secret in repr(settings)] == []
    assert (first.credentials.client_secret, other.credentials.client_secret) == (CLIENT, OTHER)
    assert (first.route.proxy, settings.database_url) == (PROXY_URL, ENVIRON["ITEM_VISIBILITY_DATABASE_URL"])
