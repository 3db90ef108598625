"""The settings of the sign-in: the section [auth] that Streamlit reads, and our own beside it."""

from datetime import timedelta
from functools import partial

from item_visibility.access.sign_in import DEFAULT_HOURS, RoleNames, SignInRules
from item_visibility.client.addresses import check_address
from item_visibility.errors import SettingsError
from item_visibility.settings.sources import AUTH_KEYS, SecretsFile, Section

_DISCOVERY = "/.well-known/openid-configuration"
_CALLBACK = "/oauth2callback"
_LEAST_SECRET = 32
_MOST_HOURS = 168


def read_sign_in(secrets: SecretsFile, variables: Section) -> SignInRules | None:
    """Return the rules of the sign-in; None where nobody signs in. Raises SettingsError."""
    auth, ours = secrets.auth, secrets.sign_in(variables)
    if auth is None and ours.values:
        raise SettingsError(
            f"{ours.location} has settings, but there is no sign-in.", advice="Add [auth] to secrets.toml."
        )
    if auth is None:
        return None
    if variables.text("open"):
        raise SettingsError(
            f"{variables.label('open')} lets everyone write, but people sign in here.",
            advice="Leave it out, or take the sign-in out of the settings.",
        )
    auth.require(AUTH_KEYS, advice="Set what is missing. Without a sign-in, take the section out.")
    if len(auth.text("cookie_secret")) < _LEAST_SECRET:
        raise SettingsError(
            f"cookie_secret of {auth.location} has fewer than {_LEAST_SECRET} characters.",
            advice="Write a random one: whoever guesses it can sign in as anybody.",
        )
    redirect = f"https://visibility.example.com{_CALLBACK}"
    auth.checked("redirect_uri", partial(_check, ending=_CALLBACK, example=redirect))
    metadata = f"https://login.example.com/realms/company{_DISCOVERY}"
    metadata = auth.checked("server_metadata_url", partial(_check, ending=_DISCOVERY, example=metadata))
    defaults = SignInRules(issuer="", client_id="")
    names = defaults.role_names
    names = RoleNames(
        viewer=ours.text("role_viewer") or names.viewer,
        editor=ours.text("role_editor") or names.editor,
        admin=ours.text("role_admin") or names.admin,
    )
    if len({names.viewer, names.editor, names.admin}) < 3:  # noqa: PLR2004  (three roles)
        raise SettingsError(
            f"{ours.location} has one name for two roles.", advice="Give each role a name of its own."
        )
    hours = ours.number(
        "hours",
        r"[0-9]{1,3}(\.[0-9]{1,6})?",
        default=DEFAULT_HOURS,
        most=_MOST_HOURS,
        advice=f"Write after how many hours people sign in again; {DEFAULT_HOURS} is usual.",
    )
    return SignInRules(
        issuer=ours.text("issuer") or metadata.removesuffix(_DISCOVERY),
        client_id=auth.text("client_id"),
        roles_claim=ours.text("roles_claim") or defaults.roles_claim,
        role_names=names,
        lasts=timedelta(hours=hours),
    )


def _check(address: str, *, ending: str, example: str) -> str:
    check_address(address.replace("{port}", "8501"), name="address", example=example)
    if not address.endswith(ending):
        raise SettingsError(f"The address does not end in {ending}.", advice=f"Give it as {example}.")
    return address
