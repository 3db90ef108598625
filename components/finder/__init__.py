"""The control that finds suppliers, items and recipients by name as a person types."""
