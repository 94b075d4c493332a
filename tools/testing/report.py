# SPDX-License-Identifier: Apache-2.0
"""The table at the end of a test run, and its last line."""


def _minutes(seconds):
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


def table(rows):
    """The lines of the table; `rows` are (part name, outcome)."""
    width = max([len(name) for name, _ in rows] + [len("part")])
    lines = [f"{'part':<{width}}  {'passed':>7} {'failed':>7} {'skipped':>7} {'min:sec':>8}"]
    for name, outcome in rows:
        lines.append(f"{name:<{width}}  {outcome.passed:>7} {outcome.failed:>7} "
                     f"{len(outcome.skips):>7} {_minutes(outcome.seconds):>8}")
    return lines


def details(rows):
    """One line for every skip, with its reason, and for every failure."""
    lines = []
    for name, outcome in rows:
        lines += [f"skipped  [{name}] {test}: {reason}" for test, reason in outcome.skips]
    for name, outcome in rows:
        lines += [f"FAILED   [{name}] {test}" for test in outcome.failures]
    return lines


def last_line(rows):
    """`N passed, N failed`, and `, N skipped` when there are any."""
    passed = sum(outcome.passed for _, outcome in rows)
    failed = sum(outcome.failed for _, outcome in rows)
    skipped = sum(len(outcome.skips) for _, outcome in rows)
    line = f"{passed} passed, {failed} failed"
    return f"{line}, {skipped} skipped" if skipped else line
