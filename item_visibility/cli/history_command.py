"""The commands `item-visibility history …`: export, prune, backup."""

import re
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import click

from item_visibility.api.client import utc_now
from item_visibility.changes.in_words import many
from item_visibility.cli.new_files import new_file
from item_visibility.cli.shared_options import environment_option, read_our_settings
from item_visibility.cli.terminal import tell_address
from item_visibility.desk.history.spreadsheet import write_csv, write_xlsx
from item_visibility.records.database.connecting import Database
from item_visibility.records.database.private_files import open_new_private
from item_visibility.records.history.search import HistoryFilter, HistorySearch
from item_visibility.records.history.upkeep import HistoryUpkeep, back_up, recorded_services
from item_visibility.records.named_addresses import Addresses
from item_visibility.records.opening import open_records
from item_visibility.settings.values import Environment

_WRITERS = {".csv": write_csv, ".xlsx": write_xlsx}
_DAYS = re.compile(r"([0-9]{1,5})d")


class Age(click.ParamType[timedelta]):
    """An age in days, such as 365d."""

    name = "DAYS"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> timedelta:
        """Return the age; a usage error if the value is none."""
        found = _DAYS.fullmatch(str(value))
        if found is None:
            self.fail("An age is a number of days and a d, such as 365d.", param, ctx)
        return timedelta(days=int(found[1]))


_file = click.argument("file", type=click.Path(dir_okay=False, path_type=Path))


@click.group()
def history() -> None:
    """Export, prune and back up what the dashboard remembers."""


@history.command()
@_file
@environment_option
@click.option("--older-than", type=Age(), help="Only what is older, such as 365d.")
def export(*, file: Path, environment_name: str | None, older_than: timedelta | None) -> None:
    """Write the history to FILE, a .csv or an .xlsx that is not there yet."""
    writer = _WRITERS.get(file.suffix.lower())
    if writer is None:
        raise click.UsageError("The name of FILE ends in .csv or .xlsx.")
    settings = read_our_settings()
    environment = settings.environment(environment_name)
    wanted = HistoryFilter(until=None if older_than is None else utc_now() - older_than)
    with closing(open_records(settings.database_url)) as records, new_file(file, open_new_private) as target:
        _tell_address(records, environment)
        writer(HistorySearch(records, service=environment.service).all(wanted), target)
    click.echo(f"Written to {file}.")


@history.command()
@environment_option
@click.option("--former-addresses", is_flag=True, help="Of addresses that no environment has any more.")
@click.option("--older-than", type=Age(), required=True, help="How old, such as 365d.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def prune(*, environment_name: str | None, former_addresses: bool, older_than: timedelta, yes: bool) -> None:
    """Remove what is older: saves, and bulk jobs. It cannot be undone or looked at any more."""
    if former_addresses and environment_name is not None:
        raise click.UsageError("Give --env or --former-addresses, not both.")
    settings, before = read_our_settings(), utc_now() - older_than
    with closing(open_records(settings.database_url)) as records:
        if former_addresses:
            named = {one.service for one in settings.environments}
            addresses = {service: service for service in sorted(recorded_services(records) - named)}
        else:
            environment = settings.environment(environment_name)
            _tell_address(records, environment)
            addresses = {_named(environment): environment.service}
        for name, service in addresses.items():
            _prune(HistoryUpkeep(records, service=service), name, before=before, yes=yes)
    if not addresses:
        click.echo("Nothing is recorded of another address. Nothing was removed.")


@history.command()
@_file
def backup(*, file: Path) -> None:
    """Copy the dashboard's own SQLite database to FILE, also while the dashboard runs."""
    back_up(read_our_settings().database_url, file)
    click.echo(f"Copied to {file}.")


def _prune(upkeep: HistoryUpkeep, name: str, *, before: datetime, yes: bool) -> None:
    """Say what is older at one address, ask, and remove it."""
    count, jobs = upkeep.count_before(before), upkeep.count_jobs_before(before)
    if not count and not jobs:
        click.echo(f"Nothing in the history of {name} is that old. Nothing was removed.")
        return
    click.echo(
        f"The history of {name} holds {many(count, 'change')} from before {before:%Y-%m-%d %H:%M} UTC."
    )
    if jobs:
        click.echo(
            f"It holds {many(jobs, 'bulk job')} from before that: ended, or previewed and never applied."
        )
    if not yes:
        click.confirm("Remove them for good?", abort=True)
    click.echo(f"Removed: {many(upkeep.remove_before(before), 'change')}.")
    if jobs:
        click.echo(f"Removed: {many(upkeep.remove_jobs_before(before), 'bulk job')}.")


def _tell_address(records: Database, environment: Environment) -> None:
    change = Addresses(records).look(environment.name, environment.service, at=utc_now())
    tell_address(change, environment)


def _named(environment: Environment) -> str:
    """Return the environment and its address: each address has a history of its own."""
    return environment.name if environment.is_demo else f"{environment.name} at {environment.service}"
