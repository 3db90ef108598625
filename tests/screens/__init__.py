"""What a person sees and does, without a browser."""
