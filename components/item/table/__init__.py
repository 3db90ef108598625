"""The recipients of the open item: what is staged, and the table or the list of the rest."""
