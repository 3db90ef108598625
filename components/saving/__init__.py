"""From the press of Save to what is known afterwards."""
