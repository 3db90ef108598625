"""The way to sign in: the section [auth] that Streamlit reads, our own settings beside it, or a proxy."""

import re
from collections.abc import Mapping
from datetime import timedelta
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path

from item_visibility.api.address_checks import check_address
from item_visibility.errors import SettingsError
from item_visibility.people.sign_in_rules import (
    DEFAULT_HOURS,
    ProviderRules,
    ProxyRules,
    RoleNames,
    SignInRules,
)
from item_visibility.settings.variables_and_secrets import (
    AUTH_KEYS,
    WrittenSettings,
    read_auth,
    read_sign_in_section,
)

_DISCOVERY = "/.well-known/openid-configuration"
_CALLBACK = "/oauth2callback"
_LEAST_SECRET = 32
_MOST_HOURS = 168
_HEADER = re.compile(r"[A-Za-z0-9-]{1,100}")


def read_sign_in(
    secrets: Mapping[str, object], path: Path | None, variables: WrittenSettings
) -> SignInRules | None:
    """Return the rules of the sign-in; None where nobody signs in. Raises SettingsError."""
    auth, ours = read_auth(secrets, path), read_sign_in_section(secrets, path, variables)
    proxies = ours.values.get("trusted_proxies")
    if auth is None and not proxies:
        if ours.values:
            raise SettingsError(
                f"{ours.location} has settings, but there is no sign-in.",
                advice="Add [auth] to secrets.toml, or name a proxy in trusted_proxies.",
            )
        return None
    if variables.values.get("open"):
        raise SettingsError(
            f"{variables.label('open')} lets everyone write, but people sign in here.",
            advice="Leave it out, or take the sign-in out of the settings.",
        )
    if auth is None:
        return _proxy_rules(ours)
    if proxies:
        raise SettingsError(
            f"{auth.location} and {ours.label('trusted_proxies')} are two ways to sign in.",
            advice="Keep one of the two.",
        )
    return _provider_rules(auth, ours)


def _provider_rules(auth: WrittenSettings, ours: WrittenSettings) -> ProviderRules:
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
    defaults = ProviderRules(issuer="", client_id="")
    return ProviderRules(
        issuer=ours.values.get("issuer") or metadata.removesuffix(_DISCOVERY),
        client_id=auth.values["client_id"],
        roles_claim=ours.values.get("roles_claim") or defaults.roles_claim,
        role_names=_role_names(ours),
        lasts=_lasts(ours),
    )


def _proxy_rules(ours: WrittenSettings) -> ProxyRules:
    written = ours.values["trusted_proxies"].split(",")
    header = ProxyRules(trusted=())
    return ProxyRules(
        trusted=tuple(_network(ours, one.strip()) for one in written),
        user_header=_header(ours, "user_header", header.user_header),
        name_header=_header(ours, "name_header", header.name_header),
        groups_header=_header(ours, "groups_header", header.groups_header),
        sign_out_url=_sign_out_url(ours),
        role_names=_role_names(ours),
        lasts=_lasts(ours),
    )


def _network(ours: WrittenSettings, text: str) -> IPv4Network | IPv6Network:
    try:
        network = ip_network(text)
    except ValueError:
        network = None
    if network is None or not network.prefixlen:
        raise SettingsError(
            f"{ours.label('trusted_proxies')} holds no address of a proxy: {text}.",
            advice="Write addresses such as 10.0.0.5 or 10.0.0.0/24, with commas between.",
        )
    return network


def _header(ours: WrittenSettings, key: str, default: str) -> str:
    written = ours.values.get(key) or default
    if not _HEADER.fullmatch(written):
        raise SettingsError(
            f"{ours.label(key)} is no name of a header.", advice=f"Write one such as {default}."
        )
    return written


def _sign_out_url(ours: WrittenSettings) -> str:
    """Return the address, or the path at the address of the dashboard itself; empty when there is none."""
    written = ours.values.get("sign_out_url", "")
    is_path = re.fullmatch(r"/[!-.0-~][!-~]*", written) and "\\" not in written
    if written and not is_path and not written.startswith("https://"):
        raise SettingsError(
            f"{ours.label('sign_out_url')} is neither an https address nor a path.",
            advice="Write where the proxy signs people out, such as /oauth2/sign_out.",
        )
    return written


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
