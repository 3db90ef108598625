"""Names of suppliers, items and recipients, recipient sets, and what was used last."""
