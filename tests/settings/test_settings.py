"""Where settings come from, and messages about mistakes, which contain no secret."""

import traceback
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

import pytest

from item_visibility.access.claims import SignInRules
from item_visibility.errors import SettingsError
from item_visibility.settings import Settings, read_settings
from tests.support.own_authority import write_certificates

WHOLE = {
    "ITEM_VISIBILITY_BASE_URL": "https://api.example.com/v1",
    "ITEM_VISIBILITY_AUTH_URL": "https://login.example.com",
    "ITEM_VISIBILITY_CLIENT_ID": "us",
    "ITEM_VISIBILITY_CLIENT_SECRET": "hush",
}
AUTH = {
    "redirect_uri": "https://visibility.example.com/oauth2callback",
    "cookie_secret": "0123456789abcdef0123456789abcdef",
    "client_id": "dashboard",
    "client_secret": "hush",
    "server_metadata_url": "https://login.example.com/realms/company/.well-known/openid-configuration",
}


def table(name: str, **more: str) -> str:
    values = {
        "base_url": f"https://{name}.example.com/v1",
        "auth_url": "https://login.example.com",
        "client_id": "us",
        "client_secret": f"hush-{name}",
    }
    return _section(f"connections.{name}", values | more)


def auth(**changed: str) -> str:
    """Return a section [auth]. A key with an empty value is left out."""
    return _section("auth", AUTH | changed)


def _section(name: str, values: Mapping[str, str]) -> str:
    lines = [f"{key} = '{value}'" for key, value in values.items() if value]
    return "\n".join([f"[{name}]", *lines, ""])


def read(
    tmp_path: Path, environ: Mapping[str, str], toml: str | None = None
) -> Settings:
    secrets = tmp_path / "secrets.toml"
    if toml is not None:
        secrets.write_text(toml, "utf-8", errors="surrogateescape")
    return read_settings(
        environ, secrets_path=secrets, data_folder=tmp_path / "data", may_be_demo=True
    )


def refuse(
    tmp_path: Path, environ: Mapping[str, str], toml: str | None = None
) -> SettingsError:
    with pytest.raises(SettingsError) as caught:
        read(tmp_path, environ, toml)
    return caught.value


def test_without_configuration_the_demo_is_used(tmp_path: Path) -> None:
    settings = read(tmp_path, dict.fromkeys(WHOLE, ""), '[other]\nkey = "x"\n')
    (environment,) = settings.environments
    assert environment.name == "Demo"
    assert environment.is_demo
    assert not environment.is_read_only
    assert settings.sign_in is None
    assert not settings.is_open
    assert settings.database_url == f"sqlite:///{tmp_path}/data/records.sqlite"
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("may_be_demo", [False, True])
def test_without_a_service_only_this_machine_without_a_sign_in_gets_the_demo(
    tmp_path: Path, *, may_be_demo: bool
) -> None:
    secrets = tmp_path / "secrets.toml"
    secrets.write_text(auth() if may_be_demo else "", "utf-8")
    with pytest.raises(SettingsError, match="No service is configured") as caught:
        read_settings({}, secrets_path=secrets, may_be_demo=may_be_demo)
    assert (
        "Set ITEM_VISIBILITY_BASE_URL, ITEM_VISIBILITY_AUTH_URL" in caught.value.advice
    )
    assert (
        read_settings({}, secrets_path=secrets, needs_service=False).environments == ()
    )


def test_the_variables_make_the_default_environment_and_come_before_the_file(
    tmp_path: Path,
) -> None:
    settings = read(tmp_path, WHOLE, table("default") + table("test", read_only="yes"))
    first, second = settings.environments
    assert first.name == "default"
    assert first.base_url == "https://api.example.com/v1"
    assert first.auth_url == "https://login.example.com"
    assert first.credentials.client_id == "us"
    assert first.credentials.client_secret == "hush"
    assert not first.is_demo
    assert not first.is_read_only
    assert second.is_read_only
    assert settings.environment() == first
    assert settings.environment("test") == second
    assert second.credentials.client_secret == "hush-test"
    with pytest.raises(SettingsError, match="no environment named Test") as caught:
        settings.environment("Test")
    assert caught.value.advice == "Choose one that is configured: default, test."


@pytest.mark.parametrize(
    "content", ["hush", "hush\n", "hush\r\n", "hush\nsecond line\n"]
)
def test_the_secret_can_be_in_a_file(tmp_path: Path, content: str) -> None:
    (tmp_path / "secret").write_text(content, "utf-8")
    named = {
        "ITEM_VISIBILITY_CLIENT_SECRET": "",
        "ITEM_VISIBILITY_CLIENT_SECRET_FILE": f"{tmp_path}/secret",
    }
    assert (
        read(tmp_path, WHOLE | named).environment().credentials.client_secret == "hush"
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "cannot be read"), ("", "is empty"), ("\nx", "is empty")],
)
def test_a_secret_file_that_cannot_be_used_is_an_error(
    tmp_path: Path, content: str | None, message: str
) -> None:
    (tmp_path / "secret").write_text(content or "", "utf-8")
    named = tmp_path / "secret" if content is not None else tmp_path / "elsewhere"
    environ = {
        **WHOLE,
        "ITEM_VISIBILITY_CLIENT_SECRET": "",
        "ITEM_VISIBILITY_CLIENT_SECRET_FILE": str(named),
    }
    error = refuse(tmp_path, environ)
    assert "The file in ITEM_VISIBILITY_CLIENT_SECRET_FILE " in error.message
    assert message in error.message


def test_the_address_of_the_database_can_be_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "database").write_text("postgresql://u:pass@db/x\n", "utf-8")
    named = {"ITEM_VISIBILITY_DATABASE_URL_FILE": str(tmp_path / "database")}
    assert read(tmp_path, named).database_url == "postgresql://u:pass@db/x"
    error = refuse(tmp_path, {**named, "ITEM_VISIBILITY_DATABASE_URL": "sqlite:///x"})
    assert error.message == (
        "ITEM_VISIBILITY_DATABASE_URL and ITEM_VISIBILITY_DATABASE_URL_FILE are both "
        "set."
    )


@pytest.mark.parametrize("word", ["TRUE", "1"])
def test_read_only_applies_to_all_environments(tmp_path: Path, word: str) -> None:
    settings = read(
        tmp_path, {**WHOLE, "ITEM_VISIBILITY_READ_ONLY": word}, table("test")
    )
    assert [environment.is_read_only for environment in settings.environments] == [
        True,
        True,
    ]


def test_a_variable_is_the_default_for_all_environments(tmp_path: Path) -> None:
    ca_file, _ = write_certificates(tmp_path)
    more = {"CONCURRENCY": "1", "CA_FILE": str(ca_file), "PROXY": "http://here:1"}
    environ = WHOLE | {f"ITEM_VISIBILITY_{name}": value for name, value in more.items()}
    toml = (
        table("live", concurrency="64", proxy="http://there:1")
        + table("test")
        + "concurrency = 2\n"
    )
    settings = read(tmp_path, environ, toml)
    assert [environment.concurrency for environment in settings.environments] == [
        1,
        64,
        2,
    ]
    assert [environment.route.proxy for environment in settings.environments] == [
        "http://here:1",
        "http://there:1",
        "http://here:1",
    ]
    assert {environment.route.ca_file for environment in settings.environments} == {
        ca_file
    }


@pytest.mark.parametrize(
    ("key", "written"),
    [("CA_FILE", "nowhere.pem"), ("PROXY", "ftp://anna:never-shown@proxy")],
)
def test_unusable_certificate_files_and_proxies_are_refused(
    tmp_path: Path, key: str, written: str
) -> None:
    error = refuse(tmp_path, {**WHOLE, f"ITEM_VISIBILITY_{key}": written})
    assert error.message.startswith("The ")
    assert "never-shown" not in f"{error.message} {error.advice}"


def test_a_requested_demo_overrides_everything_else(tmp_path: Path) -> None:
    environ = {
        **WHOLE,
        "ITEM_VISIBILITY_DEMO": "true",
        "ITEM_VISIBILITY_DATABASE_URL": "postgresql://db/x",
    }
    environ |= {"ITEM_VISIBILITY_READ_ONLY": "true"}
    settings = read(tmp_path, environ, table("test"))
    assert [
        (environment.name, environment.is_read_only)
        for environment in settings.environments
    ] == [("Demo", True)]
    assert settings.database_url == f"sqlite:///{tmp_path}/data/demo-records.sqlite"


@pytest.mark.parametrize(
    ("environ", "message"),
    [
        (
            {"AUTH_URL": "", "CLIENT_ID": ""},
            (
                "in the environment: ITEM_VISIBILITY_AUTH_URL, "
                "ITEM_VISIBILITY_CLIENT_ID must be set."
            ),
        ),
        (
            {"CLIENT_SECRET": ""},
            ": ITEM_VISIBILITY_CLIENT_SECRET must be set.",
        ),
        *(
            ({"CONCURRENCY": odd}, "CONCURRENCY is not a number up to 64")
            for odd in ("0", "65", "8.0")
        ),
        *(
            ({"OPEN": odd}, "OPEN is not one of: yes-everyone-may-write.")
            for odd in ("true", "yes-everyone ")
        ),
        ({"LOG": "xml"}, "ITEM_VISIBILITY_LOG is not one of"),
        ({"LOG_LEVEL": "xml"}, "ITEM_VISIBILITY_LOG_LEVEL is not one of"),
    ],
)
def test_a_wrong_variable_is_an_error(
    tmp_path: Path, environ: dict[str, str], message: str
) -> None:
    wrong = {f"ITEM_VISIBILITY_{name}": value for name, value in environ.items()}
    assert message in refuse(tmp_path, WHOLE | wrong).message


def test_an_unknown_variable_is_an_error(tmp_path: Path) -> None:
    error = refuse(tmp_path, {"ITEM_VISIBILITY_BASEURL": "https://api.example.com/v1"})
    assert "ITEM_VISIBILITY_BASEURL" in error.message
    assert "ITEM_VISIBILITY_BASE_URL," in error.advice


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        ("[connections", "cannot be read as TOML"),
        ("connections = 1", "is not a table"),
        (
            "[connections.live]\nlive = 1",
            "[connections.live] has an unknown setting: live.",
        ),
        ("[connections]\nlive = 1", "[connections.live] is not a table."),
        (
            table("x", base_url="", auth_url=""),
            "[connections.x]: base_url, auth_url must be set.",
        ),
        (
            table("x", client_id="") + "client_id = 7",
            "[connections.x]: client_id is not a text.",
        ),
        ("[connections.live]\nclient_id = '\udcff'", "cannot be read"),
        (table("Demo"), "Demo is the name of the bundled demo."),
        (
            table("x", read_only="perhaps"),
            "read_only is not one of: true, yes, on, 1, false, no",
        ),
        (table("x") + "concurrency = true", "concurrency is not a number up to 64"),
        (
            table("x", color="pink"),
            "color is not one of: blue, green, yellow, gray, red.",
        ),
        (
            table("x", base_url="https://x.example.com"),
            "[connections.x]: The base address",
        ),
        (
            table("x", auth_url="http://login.example.com"),
            "[connections.x]: The token address",
        ),
        (
            table("x", client_secret_file="f"),
            "client_secret and client_secret_file are both set.",
        ),
        ("auth = 1\n", "[auth] is not a table."),
        (
            auth(client_secret="", cookie_secret=""),
            "[auth]: cookie_secret, client_secret must be set.",
        ),
        (
            auth(cookie_secret="short"),
            "[auth]: cookie_secret has fewer than 32 characters.",
        ),
        (
            auth(redirect_uri="http://visibility.example.com/oauth2callback"),
            "[auth]: The address in redirect_uri is not secure: it begins with http.",
        ),
        (
            auth(redirect_uri="http://localhost:{port}/"),
            "[auth]: redirect_uri does not end in /oauth2callback.",
        ),
        (
            auth(server_metadata_url="https://login.example.com"),
            (
                "[auth]: server_metadata_url does not end in "
                "/.well-known/openid-configuration."
            ),
        ),
        (auth(provider="x"), "[auth] has an unknown setting: provider."),
        (auth() + "[sign_in]\nhour = 1\n", "[sign_in] has an unknown setting: hour."),
        *(
            (
                auth() + f"[sign_in]\nhours = {odd}\n",
                "[sign_in]: hours is not a number up to 168.",
            )
            for odd in ("0", "169", "true", '"eight"')
        ),
        ("[sign_in]\nhours = 8\n", "[sign_in] has settings, but [auth] is missing."),
    ],
)
def test_a_wrong_file_is_an_error(tmp_path: Path, toml: str, message: str) -> None:
    error = refuse(tmp_path, WHOLE, toml)
    assert message in error.message.replace(f" in {tmp_path / 'secrets.toml'}", "")


@pytest.mark.parametrize("name", ["live", "test"])
def test_an_environment_has_its_configured_colour_or_a_constant_one(
    tmp_path: Path, name: str
) -> None:
    alone = read(tmp_path, {}, table(name)).environment(name)
    among = read(tmp_path, {}, table("other") + table(name)).environment(name)
    red = read(tmp_path, {}, table(name, color="red")).environment(name)
    assert alone.color == among.color != red.color == "red"


def test_the_example_file_is_a_valid_configuration(tmp_path: Path) -> None:
    example = (
        Path(__file__).resolve().parents[2] / ".streamlit" / "secrets.toml.example"
    )
    (tmp_path / "secret").write_text("hush", "utf-8")
    toml = example.read_text("utf-8").replace(
        "/run/secrets/item-visibility", str(tmp_path / "secret")
    )
    settings = read(tmp_path, {}, toml)
    assert [
        (environment.name, environment.is_read_only)
        for environment in settings.environments
    ] == [
        ("production", True),
        ("test", False),
    ]


def test_the_section_that_streamlit_reads_is_enough_for_a_sign_in(
    tmp_path: Path,
) -> None:
    rules = SignInRules(
        issuer="https://login.example.com/realms/company", client_id="dashboard"
    )
    assert (
        read(
            tmp_path, WHOLE, auth() + '[auth.client_kwargs]\nscope = "openid"\n'
        ).sign_in
        == rules
    )


def test_our_own_sign_in_settings_are_added(tmp_path: Path) -> None:
    section = (
        '[sign_in]\nissuer = "https://x.example.com/"\n'
        'roles_claim = "groups"\nhours = 4\n'
    )
    environ = {**WHOLE, "ITEM_VISIBILITY_SIGN_IN_HOURS": "0.5"}
    assert read(tmp_path, environ, auth() + section).sign_in == SignInRules(
        issuer="https://x.example.com/",
        client_id="dashboard",
        roles_claim="groups",
        lasts=timedelta(minutes=30),
    )


def test_only_without_a_sign_in_the_dashboard_is_open_to_everyone(
    tmp_path: Path,
) -> None:
    environ = {**WHOLE, "ITEM_VISIBILITY_OPEN": "yes-everyone-may-write"}
    assert read(tmp_path, environ).is_open
    words = refuse(tmp_path, environ, auth()).message
    assert words == "ITEM_VISIBILITY_OPEN lets everyone write, but people sign in here."


CLIENT = "client&s%cret"
OTHER = "other-s3cret-of-us"
PROXY = "pr0xy-p@ss&word"
DATABASE = "datab@se-p4ssword"
COOKIE = "c00kie-secret-that-is-long-enough-for-it"
SIGN_IN = "s1gn-in-secret"
SECRETS = (CLIENT, OTHER, PROXY, DATABASE, COOKIE, SIGN_IN)
PROXY_URL = "http://user:pr0xy-p%40ss%26word@proxy.example.com:3128"
DATABASE_URL = "postgresql://us:datab%40se-p4ssword@db.example.com/it"
ENVIRON = WHOLE | {
    "ITEM_VISIBILITY_CLIENT_SECRET": CLIENT,
    "ITEM_VISIBILITY_PROXY": PROXY_URL,
    "ITEM_VISIBILITY_DATABASE_URL": DATABASE_URL,
}
TOML = table("other", client_secret=OTHER) + auth(
    cookie_secret=COOKIE, client_secret=SIGN_IN
)
MISTAKES = {
    "a variable that is not known": ({"ITEM_VISIBILITY_CLIENT_SECRT": CLIENT}, TOML),
    "an incomplete connection": ({"ITEM_VISIBILITY_BASE_URL": ""}, TOML),
    "two secrets": ({"ITEM_VISIBILITY_CLIENT_SECRET_FILE": "file"}, TOML),
    "a proxy that is none": (
        {"ITEM_VISIBILITY_PROXY": PROXY_URL.replace("3128", "x")},
        TOML,
    ),
    "an address with a password": (
        {"ITEM_VISIBILITY_BASE_URL": f"https://us:{CLIENT}@api.example.com"},
        TOML,
    ),
    "a key that is not known": (
        {},
        TOML.replace("[auth]", f'secret = "{OTHER}"\n[auth]'),
    ),
    "a value that is no text": ({}, TOML.replace(f"'{OTHER}'", f'["{OTHER}"]')),
    "a section that is no table": ({}, f'connections = "{OTHER}"'),
    "a cookie secret that is too short": ({}, TOML.replace(COOKIE, COOKIE[:9])),
    "an address of the sign-in that is none": (
        {},
        TOML.replace("oauth2callback", "elsewhere"),
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_shows_no_secret(mistake: str, tmp_path: Path) -> None:
    more, toml = MISTAKES[mistake]
    error = refuse(tmp_path, ENVIRON | more, toml)
    words = f"{error!r} {error.advice} {''.join(traceback.format_exception(error))}"
    assert [secret for secret in SECRETS if secret in words] == []


def test_the_settings_show_no_secret(tmp_path: Path) -> None:
    settings = read(tmp_path, ENVIRON, TOML)
    first, other = settings.environments
    assert [secret for secret in SECRETS if secret in repr(settings)] == []
    assert first.credentials.client_secret == CLIENT
    assert other.credentials.client_secret == OTHER
    assert first.route.proxy == PROXY_URL
    assert settings.database_url == ENVIRON["ITEM_VISIBILITY_DATABASE_URL"]
