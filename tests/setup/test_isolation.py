"""No test reaches the network, or what belongs to the person who runs it."""

import os
import socket
from pathlib import Path

import pytest
from pytest_socket import SocketBlockedError, SocketConnectBlockedError


@pytest.mark.filterwarnings("ignore:A test tried to use:UserWarning")
def test_a_plain_test_has_no_network() -> None:
    with pytest.raises(SocketBlockedError):
        socket.create_connection(("127.0.0.1", 9))


@pytest.mark.contract
@pytest.mark.filterwarnings("ignore:A test tried to use:UserWarning")
def test_a_marked_test_does_not_reach_other_machines() -> None:
    with socket.socket() as connection, pytest.raises(SocketConnectBlockedError):
        connection.connect(("192.0.2.1", 9))


@pytest.mark.parametrize("name", ["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"])
def test_a_persons_folders_are_out_of_reach(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    assert Path(os.environ[name]).is_relative_to(tmp_path_factory.getbasetemp())
