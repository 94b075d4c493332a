#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the test suite part by part and ends with `N passed, N failed`.

    run-tests.py {quick,all,long} [--only PART ...]

Every part runs even when an earlier one failed; a part that cannot run counts as failed. The exit
status is 0 only when nothing failed. Reports in JUnit's form stay in out/test-results.
"""
import argparse
import pathlib
import sys
import time
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
# pylint: disable=wrong-import-position  # found beside this file
from testing import parts, report  # noqa: E402
from testing.outcome import broken  # noqa: E402


def run_part(part):
    """Runs one part and measures it; whatever goes wrong becomes a failure of that part."""
    start = time.monotonic()
    try:
        outcome = part.action()
    except Exception as error:  # pylint: disable=broad-except  # reported as a failed part
        traceback.print_exc()
        outcome = broken(f"the part could not run: {error}")
    outcome.seconds = time.monotonic() - start
    return outcome


def main():
    """Parses the arguments, runs the parts, prints the report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mode", choices=("quick", "all", "long"))
    parser.add_argument("--only", action="append", metavar="PART", help="run these parts alone",
                        choices=[part.name for part in parts.PARTS])
    arguments = parser.parse_args()

    chosen = [part for part in parts.parts_of(arguments.mode)
              if not arguments.only or part.name in arguments.only]
    rows = []
    for number, part in enumerate(chosen, 1):
        print(f"\n==== {number}/{len(chosen)} {part.name}", flush=True)
        rows.append((part.name, run_part(part)))

    print()
    for line in report.table(rows) + report.details(rows):
        print(line)
    print(report.last_line(rows), flush=True)
    return 1 if not rows or any(outcome.failed for _, outcome in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
