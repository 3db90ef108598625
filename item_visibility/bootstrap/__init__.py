"""Creates all parts of the program from its settings, and connects them."""
