"""Finds the damage that spreadsheets and mails do to ids."""
