"""The command `item-visibility`, with its subcommands `doctor` and `sign-out`."""

import logging
import os
import time
from contextlib import closing

import click

from item_visibility import __version__
from item_visibility.bootstrap.open_desk import Use
from item_visibility.cli.plan_apply_export import apply, export, plan
from item_visibility.cli.serve import dashboard, demo, service
from item_visibility.cli.shared import (
    environment_option,
    opened_desk,
    plain_errors,
    read_our_settings,
)
from item_visibility.model.words import one_line
from item_visibility.settings import PREFIX
from item_visibility.storage.open_records import open_records
from item_visibility.storage.sign_outs import SignOuts
from item_visibility.use_cases.connection_check import examine, report_lines


class PlainGroup(click.Group):
    """Prints an error of any command as a sentence, without a traceback."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the options. This also prints the texts of `--help` and `--version`."""
        with plain_errors():
            return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        """Run the command."""
        with plain_errors():
            return super().invoke(ctx)


@click.group(cls=PlainGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="%(version)s", help="Show the version.")
def main() -> None:
    """See and change which recipients can see a supplier's item."""


@main.command()
@environment_option
@click.pass_context
def doctor(ctx: click.Context, *, environment_name: str | None) -> None:
    """Check the connection, as the Connection page does.

    The exit status is 0 if the service answered and no step failed, otherwise 1.
    """
    # The report contains what the log would say.
    logging.getLogger("item_visibility").addHandler(logging.NullHandler())
    with opened_desk(environment_name, Use.EXAMINE) as desk:
        report = examine(desk, None)
    for line in report_lines(report):
        click.echo(line)
    ctx.exit(0 if report.is_ok else 1)


@main.command("sign-out")
@click.argument("person", required=False)
@click.option("--all", "is_for_all", is_flag=True, help="Sign out everybody.")
def sign_out(*, person: str | None, is_for_all: bool) -> None:
    """End all current sessions of PERSON, in every window and on every replica.

    PERSON is the name that the dashboard shows, the user name, the e-mail address, or
    the subject at the identity provider. Case and accents do not matter. An unknown
    name causes no error. The person can sign in again if the identity provider allows
    it.
    """
    if is_for_all == bool(person and person.strip()):
        raise click.UsageError("Name one person, or give --all.")

    # Without the address of a database, the service decides where it is.
    names_database = any(
        os.environ.get(f"{PREFIX}DATABASE_URL{end}") for end in ("", "_FILE")
    )
    settings = read_our_settings(needs_service=not names_database)
    with closing(open_records(settings.database_url, must_exist=True)) as database:
        until = SignOuts(database).end_every(person)

    # Sign-in times are whole seconds, and the next one must be later than `until`.
    time.sleep(1)
    who = "everybody" if person is None else one_line(person.strip())
    click.echo(
        f"Signed out {who}: every sign-in before {until.day} {until:%B %Y, %H:%M} "
        "UTC has ended."
    )


for _command in (demo, dashboard, service, plan, apply, export):
    main.add_command(_command)
