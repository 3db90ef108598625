"""The files of `deploy/` agree with the program and with each other: a word that they name exists."""

import json
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from configparser import RawConfigParser
from itertools import pairwise
from pathlib import Path

import pytest

from item_visibility import timeouts as times
from item_visibility.access.sign_in import ROLES, SignInRules
from item_visibility.cli.commands import main
from item_visibility.cli.serve import DASHBOARD_PORT, SERVICE_PORT
from item_visibility.settings.sources import read_variables
from tests.house.tree import ROOT, files, offenders, read

DEPLOY = ROOT / "deploy"
OURS = re.compile(r"\bITEM_VISIBILITY_[A-Z_]*[A-Z]\b")
BASE_PATH, NAME = "/visibility", "visibility.example.com"
CLOSES_WITHIN_S = (
    times.SAVES_END_WITHIN_S
    + times.CUT_SAVES_END_WITHIN_S
    + times.SETTLE_AT_CLOSE_S
    + 2 * times.QUEUE_CLOSES_WITHIN_S
    + 2 * (times.RUN_STOPS_WITHIN_S + 1)
)


def of_unit(path: str) -> dict[str, str]:
    """The settings of a systemd service; of those that stand there more than once, the last."""
    unit = RawConfigParser(strict=False, delimiters=("=",), comment_prefixes=("#",))
    unit.optionxform = str  # type: ignore[assignment,method-assign]  # its names have capitals
    unit.read_string(read(DEPLOY / path))
    return dict(unit["Service"])


DOCKERFILE = read(DEPLOY / "Dockerfile")
UNITS = {
    name: of_unit(f"systemd/{name}")
    for name in (path.name for path in files("deploy/systemd", suffix=".service"))
}
NGINX = read(DEPLOY / "nginx/conf.d/item-visibility.conf")
REALM = json.loads(read(DEPLOY / "keycloak/platform-api.json"))
OF_DASHBOARD = "item-visibility-dashboard@.service"
COMMANDS = {
    "Dockerfile": shlex.split(
        re.findall(r"^CMD (\[.*\])$", DOCKERFILE, re.MULTILINE)[0].strip("[]").replace(",", " ")
    ),
    **{name: shlex.split(unit["ExecStart"])[3:] for name, unit in UNITS.items()},
}


def options_of(command: list[str]) -> dict[str, str]:
    """The options of a command line, with what follows each."""
    words = [word for argument in command[1:] for word in argument.split("=", 1)]
    return {first: second for first, second in pairwise([*words, ""]) if first.startswith("--")}


@pytest.mark.parametrize("where", COMMANDS)
def test_each_command_and_option_exists(where: str) -> None:
    """As `item-visibility` knows them."""
    command = COMMANDS[where]
    known = {option for one in main.commands[command[0]].params for option in one.opts}
    assert set(options_of(command)) - known == set()


@pytest.mark.parametrize("where", [where for where, command in COMMANDS.items() if command[0] == "dashboard"])
def test_dashboards_stand_where_the_proxy_looks(where: str) -> None:
    """Below the path that nginx passes on; the image alone knows no name yet."""
    options = options_of(COMMANDS[where])
    assert options["--base-path"] == BASE_PATH
    assert options.get("--allowed-host", NAME) == NAME
    assert f"location {BASE_PATH}/ {{" in NGINX


def test_no_variable_is_unknown() -> None:
    """In all files; an unknown one would keep the program from starting."""
    named = {name for path in files("deploy") for name in OURS.findall(read(path))}
    assert read_variables(dict.fromkeys(named, "x")).values.keys() == {
        name.removeprefix("ITEM_VISIBILITY_").lower() for name in named
    }


def test_ports_agree() -> None:
    """Of the commands, the units, the image and nginx."""
    upstreams = read(DEPLOY / "nginx/item-visibility/replicas.conf")
    replicas = re.findall(r"^    server  (\S+?)[ ;]", upstreams, re.MULTILINE)
    second = DASHBOARD_PORT + 1
    assert replicas == [f"127.0.0.1:{port}" for port in (DASHBOARD_PORT, second, SERVICE_PORT, 8080)]
    assert f"dashboard@{DASHBOARD_PORT} item-visibility-dashboard@{second}" in read(
        DEPLOY / f"systemd/{OF_DASHBOARD}"
    )
    assert {options_of(command).get("--port") for command in COMMANDS.values()} == {
        str(DASHBOARD_PORT),
        str(SERVICE_PORT),
        "%i",
    }
    assert f"EXPOSE {DASHBOARD_PORT}\n" in DOCKERFILE


def test_the_proxy_clears_headers_that_the_dashboard_could_believe() -> None:
    """A browser can send them too."""
    assert sorted(re.findall(r'proxy_set_header +(\S+) +"";', NGINX)) == ["Forwarded", "X-Forwarded-Host"]


def test_base_images_are_pinned() -> None:
    """By a whole version."""
    named = re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)
    assert named
    assert [image for image in named if not re.search(r":\d+\.\d+(\.\d+)?(-|$)", image)] == []


def test_files_hold_no_secret() -> None:
    """Secrets are files, or variables that have no default."""
    secret = re.compile(
        r"^[\s-]*\w*(?:SECRET|PASSWORD|DATABASE_URL)\w*[:=] *(?!/run/secrets/|\$\{\w+:\?|%d/)(\S.*)$",
        re.MULTILINE,
    )
    assert offenders(lambda path: secret.findall(read(path)), files("deploy")) == {}
    assert offenders(lambda path: re.findall("PRIVATE KEY", read(path)), files("deploy")) == {}


def test_nothing_is_cut_that_would_end_by_itself() -> None:
    """Saves, previews and jobs under way get the time that the program gives them."""
    assert int(UNITS[OF_DASHBOARD]["TimeoutStopSec"]) > CLOSES_WITHIN_S


def test_the_proxy_takes_in_what_the_dashboard_does() -> None:
    """A file of the largest size, and its wrapping."""
    size = tomllib.loads(read(ROOT / ".streamlit/config.toml"))["server"]["maxUploadSize"] + 1
    assert f"client_max_body_size  {size}m;" in NGINX


def test_programs_of_ours_are_hardened() -> None:
    """No root, a read-only file system, no new rights."""
    assert re.findall(r"^USER (.*)$", DOCKERFILE, re.MULTILINE) == ["10001:10001"]
    assert {(unit["ProtectSystem"], unit["NoNewPrivileges"], unit["User"]) for unit in UNITS.values()} == {
        ("strict", "yes", "item-visibility")
    }


def test_programs_of_ours_can_read_their_home() -> None:
    """Streamlit 1.67 looks for secrets there, and answers nothing where it may not look."""
    homes = {(unit["ProtectHome"], unit["StateDirectory"], unit["Environment"]) for unit in UNITS.values()}
    assert homes == {("yes", "item-visibility", "HOME=%S/item-visibility")}


def test_the_shipped_realm_is_the_one_that_the_others_name() -> None:
    """Its roles, which stand in the ID token, and the clients with their secrets."""
    clients = {client["clientId"]: client for client in REALM["clients"]}
    mapper = clients["dashboard"]["protocolMappers"][0]["config"]
    rules = SignInRules(issuer="", client_id="")
    assert {role["name"] for role in REALM["roles"]["realm"]} == set(ROLES)
    assert (mapper["claim.name"], mapper["id.token.claim"]) == (rules.roles_claim, "true")
    assert {name: one["secret"] for name, one in clients.items()} == {
        options_of(COMMANDS["item-visibility-service.service"])["--client-id"]: "${CLIENT_SECRET}",
        "dashboard": "${SIGN_IN_SECRET}",
    }


def test_what_is_prepared_fits_the_realm() -> None:
    """The secrets of its clients, the section [auth], and the address of its Keycloak."""
    prepared, keycloak = read(DEPLOY / "systemd/prepare.sh"), read(DEPLOY / "keycloak/keycloak.conf")
    issuer = options_of(COMMANDS["item-visibility-service.service"])["--issuer"]
    assert "'CLIENT_SECRET=%s\\nSIGN_IN_SECRET=%s\\n'" in prepared
    assert f"'{issuer}/.well-known/openid-configuration'" in prepared
    assert f'"https://{NAME}{BASE_PATH}/oauth2callback"' in prepared
    assert REALM["clients"][1]["redirectUris"] == [f"https://{NAME}{BASE_PATH}/oauth2callback"]
    assert issuer == f"https://{NAME}/auth/realms/{REALM['realm']}"
    assert f"\nhostname=https://{NAME}/auth\n" in keycloak


def test_the_image_asks_a_probe_that_exists() -> None:
    """Liveness of the dashboard."""
    assert f"127.0.0.1:{DASHBOARD_PORT}/healthz" in DOCKERFILE


def test_what_is_copied_into_the_image_is_there_and_let_through() -> None:
    """Each path of a COPY, and of the list beside it."""
    copied = {
        name
        for line in re.findall(r"^COPY (?!--from)(.*) \S+$", DOCKERFILE, re.MULTILINE)
        for name in line.split()
    }
    let_through = set(re.findall(r"^!(.*)$", read(DEPLOY / "Dockerfile.dockerignore"), re.MULTILINE))
    assert copied == let_through
    assert [name for name in copied if not (ROOT / name).exists()] == []


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd-analyze here")
def test_systemd_takes_the_units(tmp_path: Path) -> None:
    """As it reads them itself, with a Python of this machine."""
    units = [tmp_path / name for name in UNITS]
    texts = [read(DEPLOY / "systemd" / name) for name in UNITS]
    python = re.compile(r"(?<=^ExecStart=)\S+", re.MULTILINE)
    written = [
        unit.write_text(python.sub(sys.executable, text)) for unit, text in zip(units, texts, strict=True)
    ]
    found = subprocess.run(["systemd-analyze", "verify", *units], capture_output=True, text=True, check=False)  # noqa: S607  (where Debian has it)
    assert (len(written), found.returncode, found.stderr) == (2, 0, "")
