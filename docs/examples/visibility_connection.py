"""A small Streamlit app that shows who can see an item and adds recipients.

The address and the credentials are in .streamlit/secrets.toml:

    [connections.visibility]
    base_url = "https://api.example.com/v1"
    auth_url = "https://login.example.com"
    client_id = "…"
    client_secret = "…"

Start it with `streamlit run docs/examples/visibility_connection.py`.
"""

import streamlit as st

from item_visibility import ItemKey
from item_visibility.streamlit import VisibilityConnection

visibility = st.connection("visibility", type=VisibilityConnection)

supplier = st.text_input("Supplier", "4000001000005", key="supplier")
item_id = st.text_input("Item", "04012345678901:276", key="item")
item = ItemKey(supplier, item_id)

with st.form("add", clear_on_submit=True):
    recipient = st.text_input("Recipient", key="recipient")
    if st.form_submit_button("Add", key="add_recipient") and recipient:
        visibility.add_visibility(item, recipient)

recipients = visibility.get_visibilities(item, ttl=30)
st.dataframe(
    {"Recipients": sorted(recipients or ())},
    key="recipients",
    alt="Recipients of the item",
)
