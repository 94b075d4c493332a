# SPDX-License-Identifier: Apache-2.0
"""How tools/run-tests.py counts: nothing that failed or could not run may look like a success."""
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
# pylint: disable=wrong-import-position
from testing import parts, report, steps  # noqa: E402
from testing.outcome import Outcome, broken, read_junit  # noqa: E402


@pytest.fixture(name="junit")
def fixture_junit(tmp_path):
    """Reads a JUnit file with this body."""
    def read(body):
        path = tmp_path / "report.xml"
        path.write_text(f"<testsuite>{body}</testsuite>")
        return read_junit(path)
    return read


def test_ctest_reports_are_counted(junit):
    outcome = junit('<testcase name="A.b" classname="A.b" status="run"/>'
                    '<testcase name="A.c" classname="A.c" status="fail"><failure message=""/></testcase>'
                    '<testcase name="A.d" classname="A.d" status="notrun">'
                    '<skipped message="Disabled"/></testcase>')
    assert (outcome.passed, outcome.failures, outcome.skips) == (1, ["A.c"], [("A.d", "Disabled")])


def test_pytest_reports_are_counted(junit):
    outcome = junit('<testcase classname="t.x" name="a"/>'
                    '<testcase classname="t.x" name="b"><error message="e"/></testcase>')
    assert (outcome.passed, outcome.failures) == (1, ["t.x.b"])


@pytest.mark.parametrize("body", ["", "<testcase"])
def test_a_report_without_tests_or_not_readable_is_a_failure(junit, body):
    assert junit(body).failed == 1


def test_a_missing_report_is_a_failure(tmp_path):
    assert read_junit(tmp_path / "none.xml").failed == 1


def test_an_exit_status_counts_even_when_the_report_shows_no_failure():
    assert steps.believe(Outcome(passed=3), 1, "pytest").failed == 1
    assert steps.believe(Outcome(passed=3, failures=["x"]), 1, "pytest").failed == 1
    assert steps.believe(Outcome(passed=3), 0, "pytest").failed == 0


def test_a_command_that_does_not_exist_is_a_failure():
    assert steps.check("nothing", ["/nonexistent/program"]).failed == 1


def test_the_last_line_names_skips_only_when_there_are_any():
    assert report.last_line([("a", Outcome(passed=2)), ("b", broken("x"))]) == "2 passed, 1 failed"
    rows = [("a", Outcome(passed=2, skips=[("t", "why")]))]
    assert report.last_line(rows) == "2 passed, 0 failed, 1 skipped"
    assert "skipped  [a] t: why" in report.details(rows)


def test_quick_leaves_out_end_to_end_and_the_second_sanitizer():
    left_out = {part.name for part in parts.parts_of("all")} - {
        part.name for part in parts.parts_of("quick")}
    assert left_out == {"thread sanitizer", "end to end"}
    assert parts.parts_of("all")[-1].name == "end to end"
