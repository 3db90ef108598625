"""The button "Evidence", and what it shows."""
