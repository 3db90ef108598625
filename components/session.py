"""The environment, the person and the desk of this browser window.

The desk gives access to all use cases. All windows of this process share one desk for
each environment.
"""

import logging
import os
import ssl
from collections.abc import Callable, Iterator, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import NamedTemporaryFile
from threading import Lock
from urllib.parse import urlencode

import streamlit as st
from streamlit.runtime import Runtime, get_instance
from streamlit.runtime.scriptrunner import add_script_run_ctx, get_script_run_ctx

from item_visibility.access.access_log import ACCESS_LOG
from item_visibility.access.claims import SignInRules, current_person
from item_visibility.access.people import Person, Role
from item_visibility.bootstrap.log_lines import write_log
from item_visibility.bootstrap.metrics import Metrics
from item_visibility.bootstrap.open_desk import open_desk
from item_visibility.client.addresses import is_loopback
from item_visibility.errors import ItemVisibilityError, SettingsError
from item_visibility.settings import Settings, read_settings, read_variables
from item_visibility.use_cases.desk import Desk

_LOG = logging.getLogger(__name__)
_ENVIRONMENT = "session.environment"
_ENV = "env"
"""The query parameter with the name of the environment."""
_CERTIFICATES = "SSL_CERT_FILE"


class _Desks:
    """The settings and the desks of this process, each opened when it is first needed.

    They are not in `st.cache_resource`, because any browser can clear it in Streamlit
    1.67.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._settings: Settings | None = None
        # One for each environment, so that opening one desk does not block another.
        self._opening: dict[str, Lock] = {}
        self.opened: dict[str, Desk] = {}
        self.metrics = Metrics()
        self.is_launched = False

    def settings(self) -> Settings:
        with self._lock:
            if self._settings is None:
                self._settings = read_settings(
                    os.environ,
                    secrets_path=Path(".streamlit/secrets.toml"),
                    may_be_demo=is_loopback(st.get_option("server.address") or ""),
                )
            return self._settings

    def forget_settings(self) -> None:
        with self._lock:
            self._settings = None

    def desk(self, name: str) -> Desk:
        with self._opening.setdefault(name, Lock()):
            if name not in self.opened:
                self.opened[name] = open_desk(
                    self.settings(),
                    name,
                    person=person_here,
                    is_shown=partial(is_shown_here, name),
                    metrics=self.metrics,
                )
            return self.opened[name]

    def close(self) -> None:
        """Close every desk after its running saves have ended."""
        for name, lock in list(self._opening.items()):
            with lock:
                desk = self.opened.pop(name, None)
                if desk is not None:
                    desk.close()
        self.forget_settings()


desks = _Desks()


def is_launched() -> bool:
    """Return True if `app.py` has started completely.

    Return True also if no server runs, as with AppTest.

    False means that Streamlit 1.67 runs a server without our middleware, so foreign
    requests are accepted.
    """
    # AppTest has a mock that `isinstance` takes for a server.
    server = type(get_instance())
    return desks.is_launched or not issubclass(server, Runtime)


def get_desk() -> Desk:
    """Return the desk of this window's environment.

    Raises ItemVisibilityError if it cannot be opened.
    """
    try:
        return desks.desk(current_environment())
    except ItemVisibilityError:
        desks.forget_settings()  # the next attempt reads the corrected settings
        raise


def environment_names() -> tuple[str, ...]:
    """Return the names of all environments, the default environment first.

    Raises SettingsError.
    """
    return desks.settings().names


def sign_in_rules() -> SignInRules | None:
    """Return the sign-in rules, or None if the dashboard has no sign-in.

    Raises SettingsError.
    """
    return desks.settings().sign_in


def person_here() -> Person:
    """Return the person at this window.

    Raises SettingsError, and SignInError if the sign-in is not valid.
    """
    rules = sign_in_rules()
    claims = st.user.to_dict() if rules is not None and _is_window() else {}
    return current_person(rules, claims, now=datetime.now(UTC))


def may_look_here() -> bool:
    """Return True while the sign-in of this window is valid.

    Use this only to decide what is drawn.
    """
    try:
        return person_here().may(Role.VIEWER, at=datetime.now(UTC))
    except ItemVisibilityError:
        return False


def is_open_to_everyone() -> bool:
    """Return True if other machines may use the dashboard.

    It needs a sign-in, or must be configured as open.
    """
    settings = _settings_or_none()
    return settings is not None and (settings.is_open or settings.sign_in is not None)


def _settings_or_none() -> Settings | None:
    try:
        return desks.settings()
    except ItemVisibilityError:
        return None


def enter_environment() -> str:
    """Bind this window to the environment in its address, or to the default one.

    Raises SettingsError.

    A window is bound once, in its first run: everything that it stores and draws
    belongs to this environment. Loading an address makes a new window, so a link can
    open another environment.

    Return the name in the address if this window cannot show it, and otherwise an empty
    text.
    """
    names = environment_names()
    wanted = _environment_in_address()
    if wanted and wanted not in names:
        return wanted

    bound: str = st.session_state.setdefault(_ENVIRONMENT, wanted or names[0])
    if wanted and wanted != bound:
        return wanted
    return ""


def current_environment() -> str:
    """Return the name of this window's environment. Raises SettingsError."""
    bound = st.session_state.get(_ENVIRONMENT) if _is_window() else None
    return bound or environment_names()[0]


def is_shown_here(name: str) -> bool:
    """Return True if this window shows the environment and its address no other.

    Return True also if the caller belongs to no window. Raises SettingsError.
    """
    if not _is_window():
        return True
    return current_environment() == name and _environment_in_address() in {"", name}


def _environment_in_address() -> str:
    values = st.query_params.get_all(_ENV)
    return values[0] if values else ""


def _is_window() -> bool:
    return get_script_run_ctx(suppress_warning=True) is not None


def in_this_window(make: Callable[[], bytes]) -> Callable[[], bytes]:
    """Return a function that calls `make` with the sign-in of this window.

    Streamlit 1.67 makes downloads in a thread that belongs to no window, so nobody
    would be signed in there.
    """
    run = get_script_run_ctx(suppress_warning=True)

    def call() -> bytes:
        with ThreadPoolExecutor(
            1, initializer=add_script_run_ctx, initargs=(None, run)
        ) as thread:
            return thread.submit(make).result()

    return call


def address_of_environment() -> dict[str, str]:
    """Return the query parameter that opens this environment.

    It is not needed if there is only one environment.
    """
    if len(environment_names()) == 1:
        return {}
    return {_ENV: current_environment()}


def name_environment_in_address() -> None:
    """Put the name into the address, so that a copied link opens what the person sees.

    After Back or Forward, Streamlit 1.67 replaces the step in the browser's history;
    otherwise it adds one.
    """
    for name, value in address_of_environment().items():
        if st.query_params.get_all(name) != [value]:
            st.query_params[name] = value


def address_to_open(environment_name: str) -> str:
    """Return an address that loads the current page in this environment."""
    return f"?{urlencode({_ENV: environment_name})}"


def start_log() -> None:
    """Start the log as the settings say, or as plain text if the settings are wrong."""
    try:
        write_log(read_variables(os.environ))
    except SettingsError:
        write_log(read_variables({}))
    logging.getLogger(ACCESS_LOG).addFilter(desks.metrics.count_access)


def trusted_certificates() -> AbstractContextManager[None]:
    """Return a context in which sign-ins trust the right certificates.

    These are the system's and those in `ITEM_VISIBILITY_CA_FILE`.
    """
    settings = _settings_or_none()
    if settings is None or settings.sign_in is None:
        return nullcontext()

    system = ssl.get_default_verify_paths().cafile or ""
    return trusted_in_sign_in(os.environ, system_file=system, ca_file=settings.ca_file)


@contextmanager
def trusted_in_sign_in(
    environ: MutableMapping[str, str], *, system_file: str, ca_file: Path | None
) -> Iterator[None]:
    """Let sign-ins trust the certificates in these files.

    An empty `system_file` means no file.

    Streamlit 1.67 connects with httpx 0.28, which trusts its own list of certificates,
    or the one file that is named in the variable `SSL_CERT_FILE`.
    """
    before = environ.get(_CERTIFICATES)
    with NamedTemporaryFile(prefix="item-visibility-", suffix=".pem") as both:
        if ca_file is not None:
            files = [Path(system_file), ca_file] if system_file else [ca_file]
            both.writelines(file.read_bytes() + b"\n" for file in files)
            both.flush()
            environ[_CERTIFICATES] = both.name
        elif system_file:
            environ[_CERTIFICATES] = system_file

        try:
            yield
        finally:
            environ.pop(_CERTIFICATES, None)
            if before is not None:
                environ[_CERTIFICATES] = before


def warm_up() -> None:
    """Open the default environment, and load the packages of the first screen.

    Errors are only logged here, because the screens show them.
    """
    import pandas as pd  # noqa: PLC0415  # they load slowly
    import pyarrow as pa  # type: ignore[import-untyped]  # noqa: PLC0415

    pa.Table.from_pandas(pd.DataFrame({"warm": [True]}))
    is_ready()


def is_ready() -> bool:
    """Return True if the default environment can be opened and its database answers."""
    try:
        get_desk().records.check_reading()
    except ItemVisibilityError as error:
        _LOG.warning("Not ready: %s %s", error.message, error.advice)
        return False
    return True


def metrics_text() -> str:
    """Return the metrics of this process in the format of Prometheus."""
    return desks.metrics.text(
        {name: desk.records for name, desk in dict(desks.opened).items()}
    )
