"""The screens. They are in subfolders, because Streamlit would serve files here without the frame."""
