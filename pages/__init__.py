"""The screens, in subfolders.

Streamlit would serve a file directly in this folder without the frame.
"""
