"""Programs that others wrote, as companies have them: `python3 run.py test tests/peers`."""
