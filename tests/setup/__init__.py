"""Setting the program up on a new machine, and finding a browser for the tests."""
