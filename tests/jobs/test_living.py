"""Which processes are alive."""

import os
import socket
import subprocess
import sys

import pytest

from item_visibility.jobs.living import Living, is_gone, name_of_this_process
from tests.support.waiting import HandClock

ELSEWHERE = "elsewhere:12:abc"
ME = f"{socket.gethostname()}:{os.getpid()}:me"


def test_a_process_is_alive_while_its_number_moves() -> None:
    """By our own clock: nothing is asked of its own."""
    clock = HandClock()
    living = Living(clock=clock, dead_after_s=30)
    alive = []
    for beat in (5, 6, 6, 6, 7):
        alive.append(ELSEWHERE in living.among({ELSEWHERE: beat}, me=ME))
        clock.move(20)
    assert alive == [True, True, True, False, True]


def test_a_process_that_left_is_not_alive() -> None:
    """Its row is gone."""
    living = Living(clock=HandClock(), dead_after_s=30)
    living.among({ELSEWHERE: 1, ME: 1}, me=ME)
    assert living.among({ME: 2}, me=ME) == {ME}


def test_a_process_that_ended_on_this_machine_is_gone_at_once() -> None:
    """The system knows; its number need not be waited for."""
    with subprocess.Popen([sys.executable, "-c", "pass"]) as process:
        process.wait()
    ended = f"{socket.gethostname()}:{process.pid}:abc"
    assert is_gone(ended, me=ME)
    assert Living(clock=HandClock(), dead_after_s=30).among({ended: 1, ME: 1}, me=ME) == {ME}


@pytest.mark.parametrize(
    "worker",
    [ME, ELSEWHERE, f"{socket.gethostname()}:{os.getppid()}:abc"],
    ids=["this one", "on another machine", "that runs"],
)
def test_others_are_not_gone(worker: str) -> None:
    """This one, one on another machine, and one that runs."""
    assert not is_gone(worker, me=ME)


def test_what_this_process_was_before_is_gone() -> None:
    """A container that was started again has the same host and number."""
    assert is_gone(f"{socket.gethostname()}:{os.getpid()}:before", me=ME)


def test_a_process_of_another_user_is_not_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may not be asked, but it is there."""

    def kill(_process_id: int, _signal: int) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "kill", kill)
    assert not is_gone(f"{socket.gethostname()}:1:abc", me=ME)


def test_where_asking_would_end_a_process_it_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """On Windows there is no harmless signal."""
    monkeypatch.setattr(sys, "platform", "win32")
    assert not is_gone(f"{socket.gethostname()}:{os.getpid()}:before", me=ME)


def test_each_start_has_a_name_of_its_own() -> None:
    """In the same process too."""
    first, second = name_of_this_process(), name_of_this_process()
    assert first != second
    assert first.startswith(f"{socket.gethostname()}:{os.getpid()}:")
