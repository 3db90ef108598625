"""The connection report as lines of text."""

from item_visibility.connection import CheckStep, ConnectionReport


def report_lines(report: ConnectionReport) -> tuple[str, ...]:
    """The report, a line a step, as `item-visibility doctor` prints it."""
    verdict = "Everything works." if report.is_ok else "Not everything works: see the steps marked FAILED."
    heading = f"{report.environment}, examined at {report.made_at:%Y-%m-%d %H:%M:%S} UTC"
    width = max(len(step.name) for step in report.steps)
    return (heading, *(_line(step, width) for step in report.steps), verdict)


def _line(step: CheckStep, width: int) -> str:
    mark = "ok    " if step.is_ok else "FAILED"
    time = "" if step.duration_ms is None else f" ({step.duration_ms} ms)"
    return f"  {mark}  {step.name:<{width}}  {step.summary}{time}"
