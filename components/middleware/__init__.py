"""ASGI middleware before Streamlit: allowed requests, addresses, security headers, cookies of a sign-in."""
