"""The configuration, and what is said of a wrong one."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from item_visibility.errors import SettingsError
from item_visibility.settings import LogSettings, Settings, read_log_settings, read_settings
from tests.settings.test_sign_in_settings import auth
from tests.support.own_authority import write_certificates

WHOLE = {
    "ITEM_VISIBILITY_BASE_URL": "https://api.example.com/v1",
    "ITEM_VISIBILITY_AUTH_URL": "https://login.example.com",
    "ITEM_VISIBILITY_CLIENT_ID": "us",
    "ITEM_VISIBILITY_CLIENT_SECRET": "hush",
}
TABLE = """
[connections.{name}]
base_url = "https://{name}.example.com/v1"
auth_url = "https://login.example.com"
client_id = "us"
client_secret = "hush-{name}"
"""


def read(environ: Mapping[str, str], tmp_path: Path, toml: str | None = None) -> Settings:
    """The settings, with a secrets.toml of this content where one is given."""
    secrets = tmp_path / "secrets.toml"
    if toml is not None:
        secrets.write_text(toml, "utf-8", errors="surrogateescape")
    return read_settings(environ, secrets_path=secrets, data_folder=tmp_path / "data", may_be_demo=True)


def refuse(environ: Mapping[str, str], tmp_path: Path, toml: str | None = None) -> SettingsError:
    with pytest.raises(SettingsError) as caught:
        read(environ, tmp_path, toml)
    return caught.value


def test_nothing_configured_is_the_demo(tmp_path: Path) -> None:
    settings = read(dict.fromkeys(WHOLE, ""), tmp_path, '[other]\nkey = "x"\n')
    (environment,) = settings.environments
    assert (environment.name, environment.is_demo, environment.is_read_only) == ("Demo", True, False)
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
    assert "Set ITEM_VISIBILITY_BASE_URL, ITEM_VISIBILITY_AUTH_URL" in caught.value.advice
    assert read_settings({}, secrets_path=secrets, needs_service=False).environments == ()


def test_the_variables_make_the_default_environment(tmp_path: Path) -> None:
    environment = read(WHOLE, tmp_path).environment()
    assert (environment.name, environment.base_url, environment.auth_url) == (
        "default",
        "https://api.example.com/v1",
        "https://login.example.com",
    )
    assert (environment.credentials.client_id, environment.credentials.client_secret) == ("us", "hush")
    assert not environment.is_demo


@pytest.mark.parametrize("content", ["hush", "hush\n", "hush\r\n", "hush\nsecond line\n"])
def test_the_secret_can_be_in_a_file(tmp_path: Path, content: str) -> None:
    (tmp_path / "secret").write_text(content, "utf-8")
    environ = {**WHOLE, "ITEM_VISIBILITY_CLIENT_SECRET_FILE": str(tmp_path / "secret")}
    del environ["ITEM_VISIBILITY_CLIENT_SECRET"]
    assert read(environ, tmp_path).environment().credentials.client_secret == "hush"


def test_several_named_environments_come_from_the_file(tmp_path: Path) -> None:
    toml = TABLE.format(name="live") + "read_only = true\n" + TABLE.format(name="test")
    settings = read({}, tmp_path, toml)
    assert [(one.name, one.is_read_only) for one in settings.environments] == [
        ("live", True),
        ("test", False),
    ]
    assert settings.environment("test").credentials.client_secret == "hush-test"
    assert settings.environment() is settings.environments[0]


def test_the_variables_come_before_the_file(tmp_path: Path) -> None:
    toml = TABLE.format(name="default") + TABLE.format(name="test")
    settings = read(WHOLE, tmp_path, toml)
    assert [one.base_url for one in settings.environments] == [
        "https://api.example.com/v1",
        "https://test.example.com/v1",
    ]


def test_an_environment_that_is_not_there_is_named(tmp_path: Path) -> None:
    settings = read(WHOLE, tmp_path, TABLE.format(name="test"))
    with pytest.raises(SettingsError, match="no environment named Test") as caught:
        settings.environment("Test")
    assert caught.value.advice == "Choose one that is configured: default, test."


@pytest.mark.parametrize("word", ["TRUE", "1"])
def test_read_only_holds_for_all_environments(tmp_path: Path, word: str) -> None:
    environ = {**WHOLE, "ITEM_VISIBILITY_READ_ONLY": word}
    settings = read(environ, tmp_path, TABLE.format(name="test"))
    assert [one.is_read_only for one in settings.environments] == [True, True]


def test_how_many_items_are_saved_at_once_can_be_written(tmp_path: Path) -> None:
    toml = TABLE.format(name="live") + "concurrency = 2\n" + TABLE.format(name="test")
    toml += 'concurrency = "64"\n' + TABLE.format(name="other")
    settings = read({**WHOLE, "ITEM_VISIBILITY_CONCURRENCY": "1"}, tmp_path, toml)
    assert [one.concurrency for one in settings.environments] == [1, 2, 64, 1]


@pytest.mark.parametrize("written", ["0", "65", "8.0"])
def test_an_odd_number_of_items_at_once_is_refused(tmp_path: Path, written: str) -> None:
    with pytest.raises(SettingsError, match="ITEM_VISIBILITY_CONCURRENCY is not a number up to 64"):
        read({**WHOLE, "ITEM_VISIBILITY_CONCURRENCY": written}, tmp_path)


def test_certificates_and_a_proxy_can_be_written(tmp_path: Path) -> None:
    ca_file, _ = write_certificates(tmp_path)
    toml = TABLE.format(name="live") + 'proxy = "http://there:1"\n' + TABLE.format(name="test")
    environ = {**WHOLE, "ITEM_VISIBILITY_CA_FILE": str(ca_file), "ITEM_VISIBILITY_PROXY": "http://here:1"}
    settings = read(environ, tmp_path, toml)
    assert [one.route.proxy for one in settings.environments] == [
        "http://here:1",
        "http://there:1",
        "http://here:1",
    ]
    assert {one.route.ca_file for one in settings.environments} == {ca_file}


@pytest.mark.parametrize(
    ("key", "written"), [("CA_FILE", "nowhere.pem"), ("PROXY", "ftp://anna:never-shown@proxy")]
)
def test_odd_certificates_and_an_odd_proxy_are_refused(tmp_path: Path, key: str, written: str) -> None:
    error = refuse({**WHOLE, f"ITEM_VISIBILITY_{key}": written}, tmp_path)
    assert error.message.startswith("The connection in the environment: The ")
    assert "never-shown" not in f"{error.message} {error.advice}"


def test_the_demo_goes_before_everything_when_it_is_asked_for(tmp_path: Path) -> None:
    environ = {**WHOLE, "ITEM_VISIBILITY_DEMO": "true", "ITEM_VISIBILITY_DATABASE_URL": "postgresql://db/x"}
    environ |= {"ITEM_VISIBILITY_READ_ONLY": "true"}
    settings = read(environ, tmp_path, TABLE.format(name="test"))
    assert [(one.name, one.is_read_only) for one in settings.environments] == [("Demo", True)]
    assert settings.database_url == f"sqlite:///{tmp_path}/data/demo-records.sqlite"


@pytest.mark.parametrize(
    ("without", "message"),
    [
        (("AUTH_URL", "CLIENT_ID"), "Missing: ITEM_VISIBILITY_AUTH_URL, ITEM_VISIBILITY_CLIENT_ID."),
        (
            ("CLIENT_SECRET",),
            "Missing: ITEM_VISIBILITY_CLIENT_SECRET or ITEM_VISIBILITY_CLIENT_SECRET_FILE.",
        ),
    ],
)
def test_half_a_connection_names_what_is_missing(
    tmp_path: Path, without: tuple[str, ...], message: str
) -> None:
    environ = {
        name: value for name, value in WHOLE.items() if name.removeprefix("ITEM_VISIBILITY_") not in without
    }
    assert (
        refuse(environ, tmp_path).message == f"The connection in the environment is not complete. {message}"
    )


def test_an_unknown_variable_is_an_error_with_a_guess(tmp_path: Path) -> None:
    error = refuse({"ITEM_VISIBILITY_BASEURL": "https://api.example.com/v1"}, tmp_path)
    assert "ITEM_VISIBILITY_BASEURL" in error.message
    assert "Did you mean ITEM_VISIBILITY_BASE_URL?" in error.advice


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        ("[connections", "is not valid TOML"),
        ("connections = 1", "has a value named connections"),
        ("[connections]\nlive = 1", "[connections.live] in {path} is not a table."),
        (
            "[connections.live]\nclient_id = 'us'\nclient_secret = 'hush'",
            "[connections.live] in {path} is not complete. Missing: base_url, auth_url.",
        ),
        ("[connections.live]\nurl = 'x'", "has a setting that is not known: url."),
        ("[connections.live]\nclient_id = 7", "client_id of [connections.live] in {path} is not a text."),
        (TABLE.format(name="Demo"), "has the name of the bundled demo"),
        (
            TABLE.format(name="x") + "read_only = 'perhaps'",
            "read_only is none of true, yes, on, 1, false, no",
        ),
        (TABLE.format(name="x") + "concurrency = true", "is not a text"),
        (TABLE.format(name="x") + "read_only = 1", "is not a text"),
        ("[connections.live]\nclient_id = '\udcff'", "cannot be read"),
        (TABLE.format(name="x") + "color = 'pink'", "color is none of blue, green, yellow, gray, red."),
        (TABLE.format(name="x").replace("/v1", ""), "[connections.x] in {path}, base_url: The base address"),
        (TABLE.format(name="x").replace("https://login", "http://login"), "auth_url: The token address"),
        (TABLE.format(name="x") + "client_secret_file = 'f'", "has client_secret and client_secret_file."),
    ],
)
def test_a_wrong_file_is_an_error(tmp_path: Path, toml: str, message: str) -> None:
    assert message.format(path=tmp_path / "secrets.toml") in refuse({}, tmp_path, toml).message


@pytest.mark.parametrize("name", ["live", "test"])
def test_an_environment_has_the_colour_that_is_written_or_always_the_same(tmp_path: Path, name: str) -> None:
    alone = read({}, tmp_path, TABLE.format(name=name)).environment(name)
    among = read({}, tmp_path, TABLE.format(name="other") + TABLE.format(name=name)).environment(name)
    red = read({}, tmp_path, TABLE.format(name=name) + "color = 'red'").environment(name)
    assert alone.color == among.color != red.color == "red"


def test_the_example_is_a_configuration(tmp_path: Path) -> None:
    example = Path(__file__).resolve().parents[2] / ".streamlit" / "secrets.toml.example"
    (tmp_path / "secret").write_text("hush", "utf-8")
    toml = example.read_text("utf-8").replace("/run/secrets/item-visibility", str(tmp_path / "secret"))
    settings = read({}, tmp_path, toml)
    assert [(one.name, one.is_read_only) for one in settings.environments] == [
        ("production", True),
        ("test", False),
    ]


@pytest.mark.parametrize("written", ["true", "Yes-everyone-may-write", "yes-everyone-may-write "])
def test_only_the_whole_sentence_opens_the_dashboard_to_everyone(tmp_path: Path, written: str) -> None:
    assert not read({}, tmp_path).is_open
    assert read({"ITEM_VISIBILITY_OPEN": "yes-everyone-may-write"}, tmp_path).is_open
    refusal = refuse({"ITEM_VISIBILITY_OPEN": written}, tmp_path)
    assert refusal.message == "ITEM_VISIBILITY_OPEN does not say yes-everyone-may-write."


@pytest.mark.parametrize(
    ("content", "message"), [(None, "cannot be read"), ("", "is empty"), ("\nx", "is empty")]
)
def test_a_secret_file_that_cannot_be_used_is_an_error(
    tmp_path: Path, content: str | None, message: str
) -> None:
    (tmp_path / "secret").write_text(content or "", "utf-8")
    named = tmp_path / "secret" if content is not None else tmp_path / "elsewhere"
    environ = {**WHOLE, "ITEM_VISIBILITY_CLIENT_SECRET": "", "ITEM_VISIBILITY_CLIENT_SECRET_FILE": str(named)}
    error = refuse(environ, tmp_path)
    assert error.message.startswith("The file that ITEM_VISIBILITY_CLIENT_SECRET_FILE names ")
    assert message in error.message


def test_the_address_of_the_database_can_be_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "database").write_text("postgresql://u:pass@db/x\n", "utf-8")
    named = {"ITEM_VISIBILITY_DATABASE_URL_FILE": str(tmp_path / "database")}
    assert read(named, tmp_path).database_url == "postgresql://u:pass@db/x"
    error = refuse({**named, "ITEM_VISIBILITY_DATABASE_URL": "sqlite:///x"}, tmp_path)
    assert error.message == (
        "The connection in the environment has ITEM_VISIBILITY_DATABASE_URL and "
        "ITEM_VISIBILITY_DATABASE_URL_FILE."
    )


def test_the_log_is_text_of_what_was_done() -> None:
    written = {"ITEM_VISIBILITY_LOG": "JSON ", "ITEM_VISIBILITY_LOG_LEVEL": "debug"}
    written["ITEM_VISIBILITY_ACCESS_LOG"] = "stdout"
    assert read_log_settings({"ITEM_VISIBILITY_LOG": ""}) == LogSettings(form="text", level="info")
    assert read_log_settings(written) == LogSettings(form="json", level="debug", access_log="stdout")


@pytest.mark.parametrize("variable", ["ITEM_VISIBILITY_LOG", "ITEM_VISIBILITY_LOG_LEVEL"])
def test_another_word_is_refused(variable: str) -> None:
    with pytest.raises(SettingsError, match=f"{variable} is none of"):
        read_settings({variable: "xml"})
