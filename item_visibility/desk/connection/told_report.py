"""The connection report as text, for whoever runs the service and for the terminal. Times are in UTC."""

from collections.abc import Iterator
from dataclasses import asdict
from math import isfinite

from item_visibility.desk.connection.call_watch import OperationHour
from item_visibility.desk.connection.examination import CheckStep, StepState
from item_visibility.desk.connection.report import ConnectionReport
from item_visibility.desk.ticket import Ticket, as_json, call_line, curl_commands, in_utc, one_line

_MARKS = {StepState.OK: "ok    ", StepState.FAILED: "FAILED", StepState.NOTED: "      "}


def report_ticket(report: ConnectionReport, *, base_url: str) -> Ticket:
    """Return the report for a ticket."""
    text = "\n".join(map(one_line, report_lines(report)))
    return Ticket(text, curl_commands(report.calls, base_url=base_url), as_json(asdict(report)))


def report_lines(report: ConnectionReport) -> Iterator[str]:
    """Return the report line by line, the sentence first."""
    yield report.judgement.sentence(in_utc)
    if report.judgement.advice:
        yield report.judgement.advice
    yield f"{report.environment}, examined at {in_utc(report.made_at)}"
    width = max(len(step.name) for step in report.steps)
    yield from (_step_line(step, width) for step in report.steps)
    yield from _titled("The last hour, in this process:", [_hour_line(hour) for hour in report.last_hour])
    yield from _titled("The last exchanges:", [call_line(call) for call in report.calls])
    older = [call_line(call) for call in report.failures if call not in report.calls]
    yield from _titled("Failures before them:", older)


def time_words(seconds: float) -> str:
    """Return a duration below which most calls ended."""
    if not isfinite(seconds):
        return "over a minute"
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def _titled(title: str, lines: list[str]) -> Iterator[str]:
    if lines:
        yield ""
        yield title
        yield from (f"  {line}" for line in lines)


def _step_line(step: CheckStep, width: int) -> str:
    time = "" if step.duration_ms is None else f" ({step.duration_ms} ms)"
    return f"  {_MARKS[step.state]}  {step.name:<{width}}  {step.summary}{time}"


def _hour_line(hour: OperationHour) -> str:
    half, most, nearly_all = map(time_words, hour.within_s)
    return (
        f"{hour.operation}: {hour.count} calls, {hour.failed} failed; "
        f"50 % within {half}, 95 % within {most}, 99 % within {nearly_all}"
    )
