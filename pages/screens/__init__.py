"""The screens of the dashboard.

None lies directly in `pages/`: Streamlit would run it without the launcher.
"""
