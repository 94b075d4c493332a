# SPDX-License-Identifier: Apache-2.0
"""What one part of the test run came to, and how JUnit files are counted."""
import dataclasses
import xml.etree.ElementTree as ElementTree


@dataclasses.dataclass
class Outcome:
    """Counts of one part. `failures` and `skips` name the tests, skips with their reasons."""
    passed: int = 0
    failures: list = dataclasses.field(default_factory=list)
    skips: list = dataclasses.field(default_factory=list)
    seconds: float = 0.0

    @property
    def failed(self):
        """How many tests failed."""
        return len(self.failures)

    def add(self, other):
        """Adds the tests of another outcome; the duration stays."""
        self.passed += other.passed
        self.failures += other.failures
        self.skips += other.skips


def broken(why):
    """The outcome of a part that could not run: one failure, so that it can't be overlooked."""
    return Outcome(failures=[why])


def read_junit(path):
    """Counts a JUnit file of ctest or pytest. A file without a single test is a failure."""
    try:
        root = ElementTree.parse(path).getroot()
    except (OSError, ElementTree.ParseError) as error:
        return broken(f"no readable report was left at {path}: {error}")
    outcome = Outcome()
    for case in root.iter("testcase"):
        name = ".".join(filter(None, (case.get("classname"), case.get("name"))))
        if case.get("classname") == case.get("name"):  # ctest writes the name twice
            name = case.get("name")
        skipped = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            outcome.failures.append(name)
        elif skipped is not None or case.get("status") in ("notrun", "disabled"):
            reason = skipped.get("message") if skipped is not None else None
            outcome.skips.append((name, reason or "no reason given"))
        else:
            outcome.passed += 1
    if not outcome.passed and not outcome.failures and not outcome.skips:
        return broken(f"the report {path} names no test at all")
    return outcome
