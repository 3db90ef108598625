"""The screens. Streamlit would serve files in this folder without the frame, so they are in subfolders."""
