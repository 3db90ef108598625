"""The command `item-visibility sign-out`: ends the sessions of a person, or of everybody."""

import os
import time
from contextlib import closing

import click

from item_visibility.cli.shared_options import read_our_settings
from item_visibility.cli.terminal import printable
from item_visibility.client.client import utc_now
from item_visibility.settings.sources import PREFIX
from item_visibility.storage.database import open_records
from item_visibility.storage.sign_outs import SignOuts


@click.command("sign-out")
@click.argument("person", required=False)
@click.option("--all", "is_for_all", is_flag=True, help="Everybody, instead of one person.")
def sign_out(*, person: str | None, is_for_all: bool) -> None:
    """End every session of PERSON that began before now, in all windows of all replicas.

    PERSON is the name that the dashboard shows, the user name, the e-mail address, or the subject that the
    identity provider knows them by. Case and accents do not matter. It is not checked that there is such a
    person. Whoever can still sign in at the provider can come back.
    """
    if is_for_all == bool(person and person.strip()):
        raise click.UsageError("Name one person, or give --all.")
    now = utc_now().replace(microsecond=0)
    names_database = any(os.environ.get(f"{PREFIX}DATABASE_URL{end}") for end in ("", "_FILE"))
    settings = read_our_settings(needs_service=not names_database)
    with closing(open_records(settings.database_url, must_exist=True)) as database:
        sign_outs = SignOuts(database)
        if person is None:
            sign_outs.end_all(at=now)
        else:
            sign_outs.end_all_of(person, at=now)
    # The provider gives times in whole seconds: a sign-in after this command has a later one.
    time.sleep(max(0.0, 1 - (utc_now() - now).total_seconds()))
    who = "everybody" if person is None else printable(person.strip())
    click.echo(
        f"Signed out {who}: every sign-in before {now.day} {now:%B %Y, %H:%M} UTC has ended.",
    )
