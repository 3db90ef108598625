"""The command `item-visibility`: its commands, its version, and errors in plain words."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager

import click

from item_visibility.cli.demo_and_dashboard import dashboard, demo
from item_visibility.cli.doctor_command import doctor
from item_visibility.cli.export_command import export
from item_visibility.cli.plan_and_apply import apply, plan
from item_visibility.cli.service_command import service
from item_visibility.cli.sign_out_command import sign_out
from item_visibility.cli.terminal import forget_output, print_any_text
from item_visibility.errors import ItemVisibilityError
from item_visibility.settings.settings import version
from item_visibility_service.settings import ServiceSettingsError


class PlainGroup(click.Group):
    """A group of commands that print errors in plain words, with status 1 and no traceback."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the options; `--help` and `--version` print here."""
        print_any_text()
        with _errors_in_words():
            return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        """Run the command."""
        with _errors_in_words():
            return super().invoke(ctx)


@contextmanager
def _errors_in_words() -> Iterator[None]:
    try:
        yield
    except ItemVisibilityError as error:
        raise click.ClickException(f"{error.message}\n{error.advice}") from None
    except ServiceSettingsError as error:
        raise click.ClickException(str(error)) from None
    except OSError as error:
        if error.errno == errno.EPIPE:
            raise
        forget_output()
        what = "The output" if error.filename is None else str(error.filename)
        raise click.ClickException(f"{what} cannot be used: {error.strerror or error}.") from None


def _tell_version(ctx: click.Context, _option: click.Parameter, is_asked: bool) -> None:  # noqa: FBT001  (click's signature)
    if is_asked:
        click.echo(version())
        ctx.exit()


@click.group(cls=PlainGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_tell_version,
    help="Tell the version.",
)
def main() -> None:
    """See and change which recipients can see a supplier's item."""


for _command in (demo, dashboard, service, doctor, plan, apply, export, sign_out):
    main.add_command(_command)
