"""Committed files: addresses, paths, links, SBOM, and names in documents and `deploy/`
that must exist.
"""

import json
import re
import shlex
import shutil
import subprocess
import sys
from configparser import RawConfigParser
from itertools import chain, pairwise
from pathlib import Path

import pytest

from components.server_limits import MAX_OPEN_FILES
from item_visibility import __version__
from item_visibility import timeouts as times
from item_visibility.cli.commands import main
from item_visibility.settings import read_variables
from tests.house.tree import ROOT, files, offenders, parse, read

ADDRESS = re.compile(r"https?://.*|^-.*", re.MULTILINE)
PATH_OF_A_MACHINE = re.compile(r"(?<![\w.~/-])/(?:root|work|Users)/")
REGISTRY = re.compile(
    r"pypi\.org/simple|pythonhosted\.org|registry\.npmjs|index-url[ =]+http",
    re.IGNORECASE,
)
LINK = re.compile(r"\[[^\]]*\]\((?!\w+:)([^)#\s]+)")


def dead_links(page: Path) -> list[str]:
    return [
        link for link in LINK.findall(read(page)) if not (page.parent / link).exists()
    ]


def test_requirements_name_no_address() -> None:
    requirements = (ROOT / "requirements.txt", ROOT / "requirements-dev.txt")
    assert offenders(lambda path: ADDRESS.findall(read(path)), requirements) == {}


def test_no_file_names_a_machine() -> None:
    assert offenders(lambda path: PATH_OF_A_MACHINE.findall(read(path)), files()) == {}


def test_no_file_names_a_registry() -> None:
    assert offenders(lambda path: REGISTRY.findall(read(path)), files()) == {}


def test_links_between_documents_work() -> None:
    assert offenders(dead_links, files(suffix=".md")) == {}


CLAIM = re.compile(r"`(\w+/test_\w+)::(test_\w+)`")
CLAIMS = CLAIM.findall(read(ROOT / "docs" / "security.md"))


def names_in(module: str) -> set[str]:
    """Return the names that a test module defines, or none if the module does not
    exist.
    """
    path = ROOT / "tests" / f"{module}.py"
    if not path.exists():
        return set()
    return {node.name for node in parse(path).body if hasattr(node, "name")}


def test_every_claim_names_a_test() -> None:
    assert len(CLAIMS) > 40
    assert [claim for claim in CLAIMS if claim[1] not in names_in(claim[0])] == []


def test_the_sbom_names_every_pinned_package_and_its_version(tmp_path: Path) -> None:
    file = tmp_path / "sbom.json"
    subprocess.run([sys.executable, ROOT / "deploy/sbom.py", file], check=True)
    sbom = json.loads(file.read_text("utf-8"))
    pinned = re.findall(
        r"^([a-z0-9.-]+)(?:\[.*\])?==(\S+)",
        read(ROOT / "requirements.txt"),
        re.MULTILINE,
    )
    packages = sbom["components"]
    assert len(pinned) > 50
    assert [(package["name"], package["version"]) for package in packages] == pinned
    assert sbom["bomFormat"] == "CycloneDX"
    assert sbom["metadata"]["component"]["version"] == __version__
    versions = {version for _, version in pinned}
    assert {package["purl"].partition("@")[2] for package in packages} == versions


DEPLOY = ROOT / "deploy"
DOCUMENTS = ("docs/command-line.md", "docs/operations.md", "deploy/README.md")
OURS = re.compile(r"\bITEM_VISIBILITY_[A-Z_]*[A-Z]\b")
CLOSES_WITHIN_S = (
    times.SAVES_END_WITHIN_S
    + times.CUT_SAVES_END_WITHIN_S
    + times.SETTLE_AT_CLOSE_S
    + 2 * times.QUEUE_CLOSES_WITHIN_S
    + 2 * (times.RUN_STOPS_WITHIN_S + 1)
)


def of_unit(path: str) -> dict[str, str]:
    """Return the settings of a systemd service.

    If a setting occurs several times, the last one counts.
    """
    unit = RawConfigParser(strict=False, delimiters=("=",), comment_prefixes=("#",))
    unit.optionxform = str  # type: ignore[assignment,method-assign]  # its names have capitals
    unit.read_string(read(DEPLOY / path))
    return dict(unit["Service"])


FILES_OF_A_WINDOW = 4
DOCKERFILE = read(DEPLOY / "Dockerfile")
(IMAGE_COMMAND,) = re.findall(r"^CMD \[(.*)\]$", DOCKERFILE, re.MULTILINE)
UNITS = {
    path.name: of_unit(f"systemd/{path.name}")
    for path in files("deploy/systemd", suffix=".service")
}
NGINX = read(DEPLOY / "nginx/conf.d/item-visibility.conf")
OF_DASHBOARD = "item-visibility-dashboard@.service"
COMMANDS = {
    "Dockerfile": shlex.split(IMAGE_COMMAND.replace(",", " ")),
    **{name: shlex.split(unit["ExecStart"])[3:] for name, unit in UNITS.items()},
}


def options_known_to(command: str) -> set[str]:
    parameters = main.commands[command].params
    return set(chain.from_iterable(parameter.opts for parameter in parameters))


def options_of(command: list[str]) -> dict[str, str]:
    parts = chain.from_iterable(argument.split("=", 1) for argument in command[1:])
    return {
        option: value
        for option, value in pairwise([*parts, ""])
        if option.startswith("--")
    }


@pytest.mark.parametrize("where", COMMANDS)
def test_each_command_and_option_exists(where: str) -> None:
    command = COMMANDS[where]
    assert set(options_of(command)) - options_known_to(command[0]) == set()


@pytest.mark.parametrize("document", ["README.md", *DOCUMENTS])
def test_each_command_of_a_document_exists(document: str) -> None:
    commands = re.findall(
        r"item-visibility ([a-z-]+)\b([^`|\n]*)", read(ROOT / document)
    )
    assert [name for name, _ in commands if name not in main.commands] == []
    for name, rest in commands:
        options = set(re.findall(r"--[a-z-]+", rest))
        assert options <= options_known_to(name)


def test_every_variable_in_a_document_exists() -> None:
    variables = set(
        chain.from_iterable(OURS.findall(read(path)) for path in files("deploy"))
    )
    assert read_variables(dict.fromkeys(variables, "x")).values.keys() == {
        variable.removeprefix("ITEM_VISIBILITY_").lower() for variable in variables
    }


def test_the_proxy_clears_headers_that_the_dashboard_could_believe() -> None:
    assert sorted(re.findall(r'proxy_set_header +(\S+) +"";', NGINX)) == [
        "Forwarded",
        "X-Forwarded-Host",
    ]


def test_the_installed_command_has_the_settings_of_the_dashboards(
    tmp_path: Path,
) -> None:
    text = read(DEPLOY / "systemd/item-visibility").replace(
        "/opt/item-visibility/.venv/bin/python", "env #"
    )
    text = text.replace("cd /opt/item-visibility", f"cd {tmp_path}")
    command = tmp_path / "command"
    command.write_text(text.replace("/etc/item-visibility", str(tmp_path)), "utf-8")
    shutil.copy(DEPLOY / "systemd/dashboard.env", tmp_path)
    answer = subprocess.run(
        ["/bin/sh", command], capture_output=True, text=True, check=True, cwd="/"
    )
    unit = UNITS[OF_DASHBOARD]["ExecStart"] + read(DEPLOY / "systemd" / OF_DASHBOARD)
    of_unit_file = set(OURS.findall(unit))
    base_url = "ITEM_VISIBILITY_BASE_URL=https://visibility.example.com/v1\n"
    assert "ITEM_VISIBILITY_DATABASE_URL_FILE" in of_unit_file
    assert of_unit_file <= set(OURS.findall(answer.stdout))
    assert base_url in answer.stdout
    assert f"\nPWD={tmp_path}\n" in answer.stdout, (
        "secrets.toml is looked for in the current folder"
    )


def test_files_hold_no_secret() -> None:
    secret = re.compile(
        r"^[\s-]*\w*(?:SECRET|PASSWORD|DATABASE_URL)\w*[:=] "
        r"*(?!/etc/item-visibility/|%d/)(\S.*)$",
        re.MULTILINE,
    )
    key = re.compile("PRIVATE KEY")
    assert offenders(lambda path: secret.findall(read(path)), files("deploy")) == {}
    assert offenders(lambda path: key.findall(read(path)), files("deploy")) == {}


def test_systemd_waits_longer_than_closing_takes() -> None:
    assert int(UNITS[OF_DASHBOARD]["TimeoutStopSec"]) > CLOSES_WITHIN_S


def test_the_units_allow_as_many_files_as_the_dashboard_wants() -> None:
    assert {unit["LimitNOFILE"] for unit in UNITS.values()} == {str(MAX_OPEN_FILES)}


def test_one_address_cannot_use_half_of_a_replica_s_files() -> None:
    (windows,) = re.findall(r"limit_conn +item_visibility_open_windows (\d+);", NGINX)
    assert FILES_OF_A_WINDOW * int(windows) < MAX_OPEN_FILES / 2


def test_the_units_are_hardened() -> None:
    assert re.findall(r"^USER (.*)$", DOCKERFILE, re.MULTILINE) == ["10001:10001"]
    wanted = {
        "ProtectSystem": "strict",
        "NoNewPrivileges": "yes",
        "User": "item-visibility",
        "ProtectHome": "yes",
        "StateDirectory": "item-visibility",
        "Environment": "HOME=%S/item-visibility",
    }
    assert UNITS
    for unit in UNITS.values():
        assert {name: unit[name] for name in wanted} == wanted


def test_every_file_of_the_image_exists_and_is_not_ignored() -> None:
    lines = re.findall(r"^COPY (?!--from)(.*) \S+$", DOCKERFILE, re.MULTILINE)
    copied = set(chain.from_iterable(line.split() for line in lines))
    let_through = set(
        re.findall(r"^!(.*)$", read(DEPLOY / "Dockerfile.dockerignore"), re.MULTILINE)
    )
    assert copied == let_through
    assert [name for name in copied if not (ROOT / name).exists()] == []


@pytest.mark.skipif(
    not shutil.which("systemd-analyze"), reason="no systemd-analyze here"
)
def test_systemd_accepts_the_units(tmp_path: Path) -> None:
    python = re.compile(r"(?<=^ExecStart=)\S+", re.MULTILINE)
    units = [tmp_path / name for name in UNITS]
    for unit in units:
        text = read(DEPLOY / "systemd" / unit.name)
        unit.write_text(python.sub(sys.executable, text))
    verified = subprocess.run(
        ["systemd-analyze", "verify", *units],  # noqa: S607  (Debian has it on the PATH)
        capture_output=True,
        text=True,
        check=False,
    )
    assert len(units) == 2
    assert verified.returncode == 0
    assert verified.stderr == ""
