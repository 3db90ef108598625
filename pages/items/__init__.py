"""The pages for business users."""
