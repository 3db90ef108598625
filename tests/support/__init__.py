"""Code shared by the tests: fakes, peers, servers on 127.0.0.1, a browser."""
