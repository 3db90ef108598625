"""The user of this machine: who works here where nobody signs in, and on the command line."""

import getpass

from item_visibility.access.person import Person, Role


def machine_user() -> Person:
    """Return the operating system's user, named "unknown" where there is none. They may do everything."""
    name = _user_name()
    return Person(subject=name, name=name, role=Role.ADMIN)


def command_line_user() -> Person:
    """Return the same, with a name that tells the command line from the dashboard."""
    name = _user_name()
    return Person(subject=name, name=f"{name} (command line)", role=Role.ADMIN)


def _user_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "unknown"
