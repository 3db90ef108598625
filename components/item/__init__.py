"""The item page: pick, read, edit."""
