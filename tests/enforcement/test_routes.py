# SPDX-License-Identifier: Apache-2.0
"""Every route to the driver is run with and without the library; a route that changes its verdict, for
better or for worse, fails here until the table and docs/adr/0014-interposition.md say so."""
import pathlib
import re
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

# pylint: disable=wrong-import-position
from harness.world import REPOSITORY  # noqa: E402
from route_matrix import CARD, NO_DRIVER, ROUTES, judge  # noqa: E402
from route_stage import SHARE  # noqa: E402


@pytest.mark.parametrize("route", ROUTES, ids=[route.name for route in ROUTES])
def test_route(stage, route):
    """The route leads where the table says, and without the library to the whole card."""
    without = stage.report(stage.free, route)
    assert (NO_DRIVER if "error" in without else CARD) == route.without, without
    if route.without == CARD:
        assert without["total"] > 2 * SHARE and without["over"] == 0
    report = stage.report(stage.held, route)
    assert judge(report, SHARE) == route.verdict, report


def test_a_users_override_is_still_called(stage):
    """The user's own cuMemAlloc_v2 stands before ours, as it would before the driver's."""
    route = next(each for each in ROUTES if "own cuMemAlloc_v2" in each.name)
    assert "through the user's library" in stage.report(stage.held, route)["said"]


def test_no_route_says_anything_on_standard_error(stage):
    """The library adds no line to a program's output."""
    route = next(each for each in ROUTES if each.name == "dlopen by absolute path")
    assert stage.report(stage.held, route)["said"] == ""


def test_the_decision_record_has_the_same_table():
    """docs/adr/0014-interposition.md lists every route with its verdict, and no other."""
    text = (REPOSITORY / "docs/adr/0014-interposition.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.+?) \| (held|detected|neither|no driver) \|", text, re.MULTILINE)
    assert rows == [(route.name, route.verdict) for route in ROUTES]
