# SPDX-License-Identifier: Apache-2.0
"""Waiting for a condition with a deadline; nothing in the suite sleeps for luck."""
import time


class InVain(Exception):
    """What a condition raises when that which is waited for cannot come about any more."""


def until(what, condition, timeout=20.0, every=0.05):
    """Calls `condition` until it returns something true, and returns that.

    `what` completes the sentence "waited N s for ...". A condition may raise AssertionError to say
    what is still missing; the last such text is shown when the deadline passes. InVain ends the
    wait at once.
    """
    deadline = time.monotonic() + timeout
    last = ""
    while True:
        try:
            result = condition()
            if result:
                return result
        except AssertionError as error:
            last = f": {error}"
        except InVain as error:
            raise AssertionError(f"waiting for {what} is in vain: {error}") from error
        if time.monotonic() >= deadline:
            raise AssertionError(f"waited {timeout:g} s for {what}{last}")
        time.sleep(every)


def throughout(what, condition, seconds, every=0.1):
    """Fails as soon as `condition` is false within the next `seconds`."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        assert condition(), f"no longer true: {what}"
        time.sleep(every)
