"""The log of a program that serves."""

import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from item_visibility import __version__
from item_visibility.access.access import ACCESS_LOG, Event, Role, log_access
from item_visibility.bootstrap.log_lines import JsonLine, TextLine, write_log
from item_visibility.errors import SettingsError
from item_visibility.settings import LogSettings
from tests.access.signing_in import signed_in
from tests.support.waiting import START


def record(message: str, level: int = logging.WARNING, **extra: object) -> logging.LogRecord:
    made = logging.LogRecord("who", level, "file.py", 1, message, None, None)
    vars(made).update(created=START.timestamp() + 0.123, **extra)
    return made


@pytest.fixture
def loggers() -> Iterator[None]:
    names = ("streamlit.of_a_test", "item_visibility", "item_visibility_service", "components", ACCESS_LOG)
    kept = [logging.getLogger(name) for name in names]
    root = logging.root
    before = root.handlers[:], root.level
    logging.captureWarnings(capture=False)  # another test of this process may have begun it
    yield
    logging.captureWarnings(capture=False)
    for one in kept:
        for handler in one.handlers:
            handler.close()
        one.handlers, one.propagate = [], True
        one.setLevel(logging.NOTSET)
    root.handlers[:], root.level = before[0], before[1]
    root.manager._clear_cache()  # type: ignore[attr-defined]  # noqa: SLF001  (what setLevel does)


def test_a_line_of_text_has_time_level_and_logger() -> None:
    line = TextLine().format(record("Not now.", request_id="abc"))
    assert line == "2026-11-21T12:00:00.123Z WARNING who: Not now. request_id=abc"


def test_nobody_begins_a_line_of_text_but_the_log() -> None:
    error = ValueError("first\n2026-01-01T00:00:00.000Z INFO forged")
    lines = TextLine().format(record("one\ntwo\x1b[2J", exc_info=(ValueError, error, None))).splitlines()
    assert lines[0].endswith("who: one\\ntwo\\x1b[2J")
    assert lines[1:] == ["  ValueError: first", "  2026-01-01T00:00:00.000Z INFO forged"]


def test_a_line_of_json_has_the_same_facts_by_name() -> None:
    error = ValueError("no\nway")
    bare, whole = (
        json.loads(JsonLine().format(record("one\ntwo", **extra)))
        for extra in ({}, {"request_id": "abc", "exc_info": (ValueError, error, None)})
    )
    facts = {"time": "2026-11-21T12:00:00.123Z", "level": "WARNING", "logger": "who", "message": "one\ntwo"}
    assert bare == facts
    assert whole == facts | {"request_id": "abc", "error": "ValueError: no\nway\n"}


@pytest.mark.usefixtures("loggers")
@pytest.mark.parametrize(("form", "begins"), [("text", "20"), ("json", '{"time": "20')])
def test_servers_write_as_we_do(form: str, begins: str, capsys: pytest.CaptureFixture[str]) -> None:
    theirs = logging.getLogger("streamlit.of_a_test")
    theirs.addHandler(logging.StreamHandler())
    theirs.propagate = False
    write_log(LogSettings(form=form, level="info"))
    theirs.warning("one")
    theirs.info("hidden")
    logging.getLogger("item_visibility.of_a_test").info("two")
    logging.getLogger("item_visibility.of_a_test").debug("hidden")
    lines = capsys.readouterr().err.splitlines()
    assert [line.startswith(begins) for line in lines] == [True, True, True]
    assert [f"Version {__version__}" in lines[0], "one" in lines[1], "two" in lines[2]] == [True, True, True]


@pytest.mark.usefixtures("loggers")
@pytest.mark.parametrize("place", ["file", "stdout", ""])
def test_the_access_log_has_an_output_of_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], place: str
) -> None:
    file = tmp_path / "access.log"
    write_log(LogSettings(access_log=str(file) if place == "file" else place))
    log_access(Event.READ, signed_in(Role.VIEWER), item_count=2, request_id="abc")
    written = capsys.readouterr()
    text = file.read_text() if place == "file" else written.out
    assert "Anna Muster" not in written.err
    assert bool(text) is bool(place)
    if place:
        line = json.loads(text)
        assert (line["message"], line["person_name"], line["item_count"]) == ("read", "Anna Muster", 2)
    if place == "file":
        assert file.stat().st_mode & 0o777 == 0o600
        file.rename(tmp_path / "access.log.1")
        log_access(Event.SIGN_OUT, None)
        assert json.loads(file.read_text())["message"] == "sign-out"


@pytest.mark.usefixtures("loggers")
def test_an_access_log_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="The access log cannot be written"):
        write_log(LogSettings(access_log=str(tmp_path / "missing" / "access.log")))
