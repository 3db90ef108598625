"""What a business user works on."""
