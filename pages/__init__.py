"""The screens, one file each, in subfolders: Streamlit would serve files in this folder without the frame."""
