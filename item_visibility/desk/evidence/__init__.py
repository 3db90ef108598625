"""Evidence for a ticket: packs of an item, a save, an answer and a job's row."""
