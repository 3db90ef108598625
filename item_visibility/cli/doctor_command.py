"""The command `item-visibility doctor`: prints the report of `desk.connection`, and decides nothing."""

import sys
from contextlib import closing

import click

from item_visibility.access.access import command_line_user
from item_visibility.bootstrap.open_desk import open_desk_to_examine
from item_visibility.cli.shared_options import environment_option, read_our_settings
from item_visibility.cli.terminal import log_untold
from item_visibility.use_cases.connection.examination import report_lines


@click.command()
@environment_option
def doctor(*, environment_name: str | None) -> None:
    """Examine the connection, as the connection page does.

    The status is 0 when the service was asked and answered and no step failed, else 1.
    """
    settings = read_our_settings()
    with (
        log_untold(),
        closing(open_desk_to_examine(settings, environment_name, person=command_line_user)) as desk,
    ):
        report = desk.connection.examine(None)
    for line in report_lines(report):
        click.echo(line)
    sys.exit(0 if report.is_ok else 1)
