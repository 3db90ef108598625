"""The known items and the recipients that can see them, as scans read them."""
