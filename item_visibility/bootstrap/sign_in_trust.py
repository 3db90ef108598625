"""The certificates by which a sign-in trusts its provider: the system's, and those that the settings name.

Streamlit 1.67 asks the provider with httpx 0.28, which trusts a list of its own, or the one file that the
variable `SSL_CERT_FILE` names.
"""

from collections.abc import Iterator, MutableMapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile

_VARIABLE = "SSL_CERT_FILE"


@contextmanager
def trusted_in_sign_in(
    environ: MutableMapping[str, str], *, system_file: str, ca_file: Path | None
) -> Iterator[None]:
    """Let sign-ins trust the certificates of the system, and those in `ca_file`, within the block.

    `system_file` is empty where the system has none. Without either file the list of httpx is trusted.
    """
    with ExitStack() as on_end:
        trusted = on_end.enter_context(_together(system_file, ca_file)) if ca_file else system_file
        changed = {_VARIABLE: trusted} if trusted else {}
        before = {name: environ[name] for name in changed if name in environ}
        environ.update(changed)
        try:
            yield
        finally:
            for name in changed:
                del environ[name]
            environ.update(before)


@contextmanager
def _together(system_file: str, ca_file: Path) -> Iterator[str]:
    """Give a file with the certificates of both, which goes at the end."""
    with NamedTemporaryFile(prefix="item-visibility-", suffix=".pem") as both:
        both.writelines(Path(one).read_bytes() + b"\n" for one in (system_file, ca_file) if one)
        both.flush()
        yield both.name
