"""End dates and reviews, as people see them."""
