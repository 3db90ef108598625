"""What is staged, saved and taken back."""
