# SPDX-License-Identifier: Apache-2.0
"""Waiting for a condition with a deadline; nothing in the suite sleeps for luck."""
import time


def until(what, condition, timeout=20.0, every=0.05):
    """Calls `condition` until it returns something true, and returns that.

    `what` completes the sentence "waited N s for ...". A condition may raise AssertionError to say
    what is still missing; the last such text is shown when the deadline passes.
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
        if time.monotonic() >= deadline:
            raise AssertionError(f"waited {timeout:g} s for {what}{last}")
        time.sleep(every)


def throughout(what, condition, seconds, every=0.1):
    """Fails as soon as `condition` is false within the next `seconds`."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        assert condition(), f"no longer true: {what}"
        time.sleep(every)
