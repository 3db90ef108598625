"""The command `item-visibility evidence verify`: was a pack edited, and was it made here?"""

from pathlib import Path

import click

from item_visibility.cli.shared_options import read_our_settings
from item_visibility.evidence.checked_file import check_file
from item_visibility.evidence.seal import Authenticity
from item_visibility.records.opening import key_of_records

MOST_BYTES = 64 * 1024 * 1024
_WORDS = {
    Authenticity.MADE_HERE: "As it was made, by this installation.",
    Authenticity.UNEDITED: (
        "As its digest says. Its seal is not of this installation: only where it was made can it be told "
        "whether somebody wrote it anew."
    ),
    Authenticity.EDITED: "It was edited: it is not as it was made.",
    Authenticity.NO_EVIDENCE: "There is no digest in this file. Give a ticket's text, the page or the JSON.",
}


@click.group()
def evidence() -> None:
    """Check evidence that was made for a ticket."""


@evidence.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def verify(*, file: Path) -> None:
    """Say whether FILE, the text, the page or the JSON of evidence, is as it was made. Status 1 if not."""
    with file.open("rb") as opened:
        content = opened.read(MOST_BYTES)
    authenticity = check_file(content, key_of_records(read_our_settings().database_url))
    if authenticity in {Authenticity.EDITED, Authenticity.NO_EVIDENCE}:
        raise click.ClickException(_WORDS[authenticity])
    click.echo(_WORDS[authenticity])
