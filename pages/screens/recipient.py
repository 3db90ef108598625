"""A second address of the coverage page, for links about one recipient."""

from pathlib import Path

import streamlit as st

st.switch_page(
    Path(__file__).with_name("coverage.py"),
    query_params={name: st.query_params.get_all(name) for name in st.query_params},
)
