"""What tests share: fakes, peers, servers on 127.0.0.1, a browser."""
