"""The button "Evidence": one press shows what was asked and answered, to copy, to read and to attach."""

from collections.abc import Callable, Mapping
from urllib.parse import urlencode, urlsplit, urlunsplit

import streamlit as st

from components.notices import show_error
from components.wiring import address_of_environment
from item_visibility.errors import ItemVisibilityError
from item_visibility.evidence.sealed_pack import Evidence

_NO_PAGE_OF_OURS = "application/octet-stream"
"""A file that is only kept: no browser shows it at the dashboard's own address."""

Make = Callable[[str], Evidence]
"""Makes the evidence; told the link that opens what it is about."""


def offer_evidence(make: Make, address: Mapping[str, str], *, key: str) -> None:
    """Draw the button. The evidence is made when it is pressed, and the rest of the screen stays as it is.

    `address` are the parts of this page's address that open the same again.
    """
    with st.container(width="content", key=f"evidence_of_{key}"):
        _offer(make, address, key)


@st.fragment
def _offer(make: Make, address: Mapping[str, str], key: str) -> None:
    if st.button("Evidence", key=f"evidence_{key}", icon=":material/fact_check:", type="tertiary"):
        st.dialog("Evidence", width="large")(_make_and_show)(make, _link(address))


def show_evidence(make: Make, address: Mapping[str, str]) -> None:
    """Draw the evidence where it stands, for what a person has chosen to look at."""
    with st.container(border=True, key="evidence_shown"):
        _make_and_show(make, _link(address))


def _make_and_show(make: Make, link: str) -> None:
    try:
        evidence = make(link)
    except ItemVisibilityError as error:
        show_error("The evidence could not be made.", error, key="evidence_error")
        return
    text = evidence.text()
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="evidence_ways"):
        st.download_button(
            "Page to read (HTML)",
            evidence.page,
            file_name=f"{evidence.file_name}.html",
            mime=_NO_PAGE_OF_OURS,
            key="evidence_page",
            icon=":material/download:",
            on_click="ignore",
        )
        st.download_button(
            "All of it (JSON)",
            evidence.json,
            file_name=f"{evidence.file_name}.json",
            mime="application/json",
            key="evidence_json",
            icon=":material/download:",
            on_click="ignore",
        )
    st.code(text, language=None, wrap_lines=True)
    if evidence.pack.curls:
        with st.expander("Copy as cURL", key="evidence_curl"):
            st.code("\n".join(evidence.pack.curls), language="bash", wrap_lines=True)


def _link(address: Mapping[str, str]) -> str:
    page = urlsplit(st.context.url or "")
    parts = urlencode(dict(address) | address_of_environment())
    return urlunsplit(page._replace(path=page.path or "/", query=parts, fragment=""))
