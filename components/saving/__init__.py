"""The save bar and everything from the press of Save to its outcome."""
