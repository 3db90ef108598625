"""Evidence for a ticket: what was asked and answered, before and after, redacted and sealed."""
