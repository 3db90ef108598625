"""The command `item-visibility doctor`: prints the report of `desk.connection`, and decides nothing."""

import sys
from contextlib import closing

import click

from item_visibility.cli.options import environment_option, read_our_settings
from item_visibility.desk.connection.examination import CheckStep, ConnectionReport, StepState
from item_visibility.people.machine_user import command_line_user
from item_visibility.wiring.open_desk import open_desk_to_look

_MARKS = {StepState.OK: "ok    ", StepState.FAILED: "FAILED", StepState.NOTED: "      "}


@click.command()
@environment_option
def doctor(*, environment_name: str | None) -> None:
    """Examine the connection, as the connection page does; status 0 when all is well, else 1."""
    with closing(open_desk_to_look(read_our_settings(), environment_name, person=command_line_user)) as desk:
        report = desk.examine(None)
    for line in report_lines(report):
        click.echo(line)
    sys.exit(0 if report.is_ok else 1)


def report_lines(report: ConnectionReport) -> tuple[str, ...]:
    """Return the report, a line a step, as `item-visibility doctor` prints it."""
    heading = f"{report.environment}, examined at {report.made_at:%Y-%m-%d %H:%M:%S} UTC"
    width = max(len(step.name) for step in report.steps)
    return (heading, *(_line(step, width) for step in report.steps), report.headline)


def _line(step: CheckStep, width: int) -> str:
    time = "" if step.duration_ms is None else f" ({step.duration_ms} ms)"
    at = "" if step.happened_at is None else f", {step.happened_at:%Y-%m-%d %H:%M:%S} UTC"
    return f"  {_MARKS[step.state]}  {step.name:<{width}}  {step.summary}{at}{time}"
