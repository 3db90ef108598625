"""A field's value, sent to the browser in each run."""

import streamlit as st


def send_each_run(key: str, value: object) -> None:
    """Set the field to the value; called before the field is drawn, in each run.

    Streamlit 1.67 drops what a run drew when the next begins before it was sent. A browser that never got a
    value that is set once shows the field's default, and sends that as the person's choice.
    """
    st.session_state[key] = value
