"""The settings of the sign-in: the section [auth] that Streamlit reads, and our own beside it."""

import re
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

from item_visibility.access.sign_in import (
    DEFAULT_HOURS,
    RoleNames,
    SignInRules,
)
from item_visibility.client.addresses import check_address
from item_visibility.errors import SettingsError
from item_visibility.settings.sources import (
    AUTH_KEYS,
    WrittenSettings,
    read_auth,
    read_sign_in_section,
)

_DISCOVERY = "/.well-known/openid-configuration"
_CALLBACK = "/oauth2callback"
_LEAST_SECRET = 32
_MOST_HOURS = 168


def read_sign_in(
    secrets: Mapping[str, object], path: Path | None, variables: WrittenSettings
) -> SignInRules | None:
    """Return the rules of the sign-in; None where nobody signs in. Raises SettingsError."""
    auth, ours = read_auth(secrets, path), read_sign_in_section(secrets, path, variables)
    if auth is None:
        if ours.values:
            raise SettingsError(
                f"{ours.location} has settings, but there is no sign-in.",
                advice="Add [auth] to secrets.toml.",
            )
        return None
    if variables.values.get("open"):
        raise SettingsError(
            f"{variables.label('open')} lets everyone write, but people sign in here.",
            advice="Leave it out, or take the sign-in out of the settings.",
        )
    return _rules(auth, ours)


def _rules(auth: WrittenSettings, ours: WrittenSettings) -> SignInRules:
    missing = [key for key in AUTH_KEYS if not auth.values.get(key)]
    if missing:
        raise SettingsError(
            f"{auth.location} is not complete. Missing: {', '.join(missing)}.",
            advice="Set what is missing. Without a sign-in, take the section out.",
        )
    if len(auth.values["cookie_secret"]) < _LEAST_SECRET:
        raise SettingsError(
            f"cookie_secret of {auth.location} has fewer than {_LEAST_SECRET} characters.",
            advice="Write a random one: whoever guesses it can sign in as anybody.",
        )
    redirect = auth.values["redirect_uri"].replace("{port}", "8501")
    example = f"https://visibility.example.com{_CALLBACK}"
    _checked(auth, "redirect_uri", redirect, ending=_CALLBACK, example=example)
    metadata = auth.values["server_metadata_url"]
    example = f"https://login.example.com/realms/company{_DISCOVERY}"
    _checked(auth, "server_metadata_url", metadata, ending=_DISCOVERY, example=example)
    defaults = SignInRules(issuer="", client_id="")
    return SignInRules(
        issuer=ours.values.get("issuer") or metadata.removesuffix(_DISCOVERY),
        client_id=auth.values["client_id"],
        roles_claim=ours.values.get("roles_claim") or defaults.roles_claim,
        role_names=_role_names(ours),
        lasts=_lasts(ours),
    )


def _role_names(ours: WrittenSettings) -> RoleNames:
    names = RoleNames(
        **{
            role: ours.values[f"role_{role}"]
            for role in ("viewer", "editor", "admin")
            if ours.values.get(f"role_{role}")
        }
    )
    if len({names.viewer, names.editor, names.admin}) < len(("viewer", "editor", "admin")):
        raise SettingsError(
            f"{ours.location} has one name for two roles.", advice="Give each role a name of its own."
        )
    return names


def _lasts(ours: WrittenSettings) -> timedelta:
    written = ours.values.get("hours") or str(DEFAULT_HOURS)
    hours = float(written) if re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,6})?", written) else 0.0
    if not 0 < hours <= _MOST_HOURS:
        raise SettingsError(
            f"{ours.label('hours')} is not a number of hours up to {_MOST_HOURS}.",
            advice=f"Write after how many hours people sign in again; {DEFAULT_HOURS} is usual.",
        )
    return timedelta(hours=hours)


def _checked(auth: WrittenSettings, key: str, address: str, *, ending: str, example: str) -> None:
    try:
        check_address(address, name="address", example=example)
    except SettingsError as error:
        raise SettingsError(f"{auth.location}, {key}: {error.message}", advice=error.advice) from None
    if not address.endswith(ending):
        raise SettingsError(
            f"{key} of {auth.location} does not end in {ending}.", advice=f"Give it as {example}."
        )
