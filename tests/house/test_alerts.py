"""Each shipped alert fires in its situation and only then, evaluated with the program's
own metrics.
"""

import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import chain
from unittest.mock import Mock

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from item_visibility.access.access_log import Event
from item_visibility.bootstrap.metrics import Metrics
from item_visibility.client.call_records import CallRecord
from item_visibility.model.job import JobState
from item_visibility.model.outcome import Outcome, Verdict
from tests.house.tree import ROOT, read
from tests.support.waiting import START

(GROUP,) = yaml.safe_load(read(ROOT / "deploy/alerts.yml"))["groups"]
RULES: dict[str, str] = {
    rule["alert"].removeprefix("ItemVisibility"): rule["expr"]
    for rule in GROUP["rules"]
}
SELECTOR = re.compile(r"(?P<name>[a-z_]{2,}\b(?!\())(?P<labels>\{[^}]*\})?(?:\[\w+\])?")
MATCHER = re.compile(r'(\w+)(=~|!=|=)"([^"]*)"')
COMPARES: Mapping[str, Callable[[str, str], bool]] = {
    "=": str.__eq__,
    "!=": str.__ne__,
    "=~": lambda value, pattern: re.fullmatch(pattern, value) is not None,
}

Series = Mapping[tuple[str, frozenset[tuple[str, str]]], float]


@dataclass(frozen=True, slots=True)
class Moments:
    """All series, ten minutes ago and now."""

    before: Series
    now: Series

    def fires(self, expression: str) -> bool:
        """Return True if a rule's expression has a value now.

        Without a series, it has none.
        """
        names = {
            "sum": _total,
            "increase": self._growth,
            "delta": self._growth,
            "of": self._of,
            "value": _value,
        }
        # Write each selector as a call of `of`, and evaluate the rest as Python.
        called = SELECTOR.sub(
            lambda match: f"of({match['name']!r}, {match['labels'] or ''!r})",
            expression,
        )
        left, comparison, right = re.split(r" ?(==|>) ", " ".join(called.split()))
        if not left.startswith("sum"):
            left = f"value({left})"
        if "sum" not in right:
            right = re.sub(r"\bof\(.*\)", r"value(\g<0>)", right)
        return bool(eval(f"{left} {comparison} {right}", {"__builtins__": {}}, names))  # noqa: S307  (our own file)

    def _of(self, name: str, labels: str) -> list[tuple[float | None, float]]:
        wanted = MATCHER.findall(labels)
        values = []
        for series, value in self.now.items():
            series_name, series_labels = series
            present = dict(series_labels)
            matches = (
                COMPARES[how](present.get(label, ""), text)
                for label, how, text in wanted
            )
            if series_name == name and all(matches):
                values.append((self.before.get(series), value))
        return values

    def _growth(
        self, series: list[tuple[float | None, float]]
    ) -> list[tuple[float, float]]:
        return [(before, now - before) for before, now in series if before is not None]


def _total(series: list[tuple[float | None, float]]) -> float:
    return sum(value for _, value in series)


def _value(series: list[tuple[float | None, float]]) -> float:
    return max((now for _, now in series), default=float("nan"))


@dataclass
class Program:
    """A program with its metrics, and with lines from other exporters."""

    metrics: Metrics
    lines: str = ""

    def series(self) -> Series:
        families = text_string_to_metric_families(self.metrics.text({}) + self.lines)
        samples = chain.from_iterable(family.samples for family in families)
        job = {"job": "item-visibility"}
        return {
            (sample.name, frozenset((job | sample.labels).items())): sample.value
            for sample in samples
        }


def log(program: Program, event: Event) -> None:
    program.metrics.count_access(
        logging.makeLogRecord({"msg": event, "role": "viewer"})
    )


def call(program: Program, status: int, operation: str = "getVisibilities") -> None:
    program.metrics.count_call(
        "live", CallRecord(operation, status, took_s=0.1, sent_at=START)
    )


def jobs(state: JobState, outcome: Outcome, rows: int) -> str:
    return (
        f'item_visibility_jobs{{state="{state}"}} 1\n'
        f'item_visibility_job_rows{{outcome="{outcome}"}} {rows}\n'
    )


def go_well(program: Program) -> None:
    """Simulate a usual moment: among many calls, one fails, and a few people are
    refused.
    """
    for status in (*[200] * 99, 503):
        call(program, status)
    call(program, 200, "requestToken")
    call(program, 401, "getVisibilities")
    log(program, Event.REFUSED)
    log(program, Event.SIGN_IN_REFUSED)
    program.lines = (
        "up 1\nitem_visibility_records_up 1\n"
        + jobs(JobState.RUNNING, Outcome.DONE, 1)
        + 'item_visibility_saves_total{verdict="verified"} 1\n'
    )


def repeat(times: int, action: Callable[..., None], *arguments: object) -> None:
    for _ in range(times):
        action(*arguments)


def say(lines: str) -> Callable[[Program], None]:
    """Return a fault that consists of these lines."""
    return lambda program: setattr(program, "lines", lines)


FAULTS: Mapping[str, Callable[[Program], None]] = {
    "ReplicaDown": say("up 0\n"),
    "DatabaseDown": say("item_visibility_records_up 0\n"),
    "ServiceFails": lambda program: repeat(9, call, program, 503),
    "TokenRefused": lambda program: call(program, 401, "requestToken"),
    "SaveNotVerified": lambda program: program.metrics.count_save(
        "live", Mock(), Mock(verdict=Verdict.DIFFERS)
    ),
    "JobWaits": say(jobs(JobState.WAITING, Outcome.DONE, 1)),
    "JobRowsUnknown": say(jobs(JobState.RUNNING, Outcome.UNKNOWN, 2)),
    "SignInsRefused": lambda program: repeat(11, log, program, Event.SIGN_IN_REFUSED),
    "ActionsRefused": lambda program: repeat(11, log, program, Event.REFUSED),
    "ScreenErrors": lambda program: program.metrics.screen_errors.inc(),
    "MemoryHigh": say("process_resident_memory_bytes 2e9\n"),
    "FilesOpen": say("process_open_fds 8000\nprocess_max_fds 10240\n"),
}


@pytest.mark.parametrize("alert", RULES)
def test_each_alert_fires_only_for_its_condition(alert: str) -> None:
    program = Program(Metrics())
    go_well(program)
    FAULTS[alert](program)
    program.lines = program.lines.replace("} 2", "} 1")
    before = program.series()

    go_well(program)
    calm = Moments(before, program.series())
    go_well(program)
    FAULTS[alert](program)
    faulty = Moments(before, program.series())

    assert not calm.fires(RULES[alert])
    assert faulty.fires(RULES[alert])
