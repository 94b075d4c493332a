# SPDX-License-Identifier: Apache-2.0
"""Pods that come and go while a test changes something: every moment one is created, waited for and
deleted, until the test has seen enough.

    with Arrivals(work) as arrivals:
        ...upgrade...
        arrivals.wait_for(3)        three more began after this and ran
    arrivals.check()                none was refused, all ran, no card was ever over-booked

A pod that is refused is tried again, as a controller would; with `refusals` that is no failure:
while nobody serves the webhook, GPU pods are refused and not let past it. With `unread` it is none
either when a node's agent refuses a start because a later release wrote the record; such a pod is
deleted, as docs/operations/upgrade.md says.
"""
import threading
import time

from . import pods
from .api import ApiError
from .waiting import until


class Arrivals:
    """A thread that creates and deletes pods of a fifth of a card in a workspace."""

    def __init__(self, work, refusals=False, unread=False):
        self._work, self._refusals = work, refusals
        self._unread = unread
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._waiting = {}
        self._number = 0
        self.ran, self.refused, self.problems = [], [], []

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._ending.set()
        self._thread.join(90)
        assert not self._thread.is_alive(), "the arrivals do not end"

    def _run(self):
        try:
            while not self._ending.is_set():
                self._create()
                self._look()
                self._ending.wait(0.3)
            deadline = time.monotonic() + 60
            while self._waiting and time.monotonic() < deadline:
                self._look()
                time.sleep(0.2)
            self.problems += [f"{name} never ran: {self._told(name)}" for name in self._waiting]
        except (ApiError, OSError, AssertionError) as error:
            self.problems.append(f"the arrivals ended: {error}")

    def _told(self, name):
        pod = self._work.pod(name)
        return str({"node": pods.node_of(pod), "status": pod.get("status")})[:1500]

    def _create(self):
        if len(self._waiting) >= 3:
            return
        name = f"comes-{self._number}"
        try:
            self._work.create(pods.share(name, core=20, memory=4, terminationGracePeriodSeconds=1))
        except ApiError as error:
            self.refused.append(str(error))
            return
        self._number += 1
        self._waiting[name] = time.monotonic()

    def _look(self):
        found = {each["metadata"]["name"]: each for each in self._work.pods()[0]}
        for name in list(self._waiting):
            phase = found[name]["status"].get("phase")
            if phase in pods.ENDED:
                self.problems.append(f"{name} ended: {self._told(name)}")
            if phase == "Running":
                self.ran.append(time.monotonic() - self._waiting[name])
            unread = self._unread and "record_version: " in str(
                found[name]["status"].get("containerStatuses"))
            if phase in ("Running", *pods.ENDED) or unread:
                del self._waiting[name]
                self._work.delete(name, grace=1)
        self.problems += self._work.ledger().problems

    def wait_for(self, count, timeout=40):
        """Returns when so many more pods have run, by which each began after this call."""
        seen, began = len(self.ran) + len(self._waiting), len(self.problems)
        until(f"{count} more pods to run", lambda: len(self.ran) >= seen + count
              or len(self.problems) > began, timeout)

    def check(self):
        """Fails with all that went wrong."""
        assert not self.problems, "\n".join(self.problems[:10])
        assert self._refusals or not self.refused, (
            f"{len(self.refused)} pods were refused: {self.refused[0]}")
