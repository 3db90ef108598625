"""Code that the tests share: fakes, other programs, servers on 127.0.0.1, a browser."""
