"""Lets `python -m item_visibility` run the command `item-visibility`."""

from item_visibility.cli.commands import main

main(prog_name="item-visibility")
