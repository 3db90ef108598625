"""The connection report as lines of text."""

from item_visibility.desk.connection_check import CheckStep, ConnectionReport, StepState

_MARKS = {StepState.OK: "ok    ", StepState.FAILED: "FAILED", StepState.NOTED: "      "}


def report_lines(report: ConnectionReport) -> tuple[str, ...]:
    """Return the report, a line a step, as `item-visibility doctor` prints it."""
    heading = f"{report.environment}, examined at {report.made_at:%Y-%m-%d %H:%M:%S} UTC"
    width = max(len(step.name) for step in report.steps)
    return (heading, *(_line(step, width) for step in report.steps), report.headline)


def _line(step: CheckStep, width: int) -> str:
    time = "" if step.duration_ms is None else f" ({step.duration_ms} ms)"
    return f"  {_MARKS[step.state]}  {step.name:<{width}}  {step.summary}{time}"
