# SPDX-License-Identifier: Apache-2.0
"""`make demo` and `make demo-serve` as a reader of the README meets them. Needs out/bin."""
import json
import os
import pathlib
import re
import signal
import subprocess
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEMO = ["/usr/bin/python3", ROOT / "tools" / "demo.py"]


def _allocators_below(pid):
    """The process ids of allocators whose session was started by a child of this process."""
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            name, fields = stat.read_text().rsplit(")", 1)
        except OSError:
            continue
        if name.endswith("(aliquot-allocat") and int(fields.split()[1]) == pid:
            found.append(int(stat.parent.name))
    return found


def _alive(pid):
    return pathlib.Path(f"/proc/{pid}").exists()


def test_the_demo_ends_by_itself_and_shows_each_pods_outcome():
    done = subprocess.run(DEMO, check=False, text=True, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = {line.split()[0]: line for line in done.stdout.splitlines()
            if re.search(r"  (placed|refused|pending)  ", line)}
    assert sorted(rows) == ["giant", "notebook", "ranker", "studio", "training", "typo"]
    outcomes = {name: re.search(r"  (placed|refused|pending)  ", row)[1]
                for name, row in rows.items()}
    assert outcomes == {"notebook": "placed", "ranker": "placed", "studio": "placed",
                        "training": "placed", "typo": "refused", "giant": "pending"}
    text = " ".join(done.stdout.split())  # sentences are wrapped
    assert "tencent.com/vcuda-core is 150; above 100 use a multiple of 100 (whole GPUs)" in text
    assert "0/4 nodes are available: 4 the node has fewer usable GPUs than the pod needs." in text
    bars = re.findall(r"card \d+ \[([#+.x]+)\]", done.stdout)
    assert len(bars) == 28, "every card is drawn"
    assert {len(bar) for bar in bars} == {25}
    assert sum(bar == "+" * 25 for bar in bars) == 5, "one whole card and four more"


def test_the_demo_fails_when_the_allocator_is_missing(tmp_path):
    script = ("import sys; sys.argv=['demo.py']; sys.path.insert(0, sys.argv[0]);"
              f"sys.path.insert(0, {str(ROOT / 'tools')!r});"
              "import demo, pathlib, demonstration.allocator as a;"
              f"a.PROGRAM = pathlib.Path({str(tmp_path / 'none')!r}); demo.main()")
    done = subprocess.run(["/usr/bin/python3", "-c", script], check=False, text=True,
                          capture_output=True, timeout=60)
    assert done.returncode != 0
    assert "run 'make build' first" in done.stderr


@pytest.fixture(name="serving")
def fixture_serving(tmp_path):
    """demo-serve in the background: the process, the file with its output, its curl lines."""
    output = tmp_path / "output"
    with output.open("w") as file:
        process = subprocess.Popen(  # pylint: disable=consider-using-with
            [*DEMO, "--serve"], stdout=file, stderr=subprocess.STDOUT)
    deadline = time.monotonic() + 60
    while "Ctrl-C ends it." not in output.read_text():
        assert process.poll() is None and time.monotonic() < deadline, output.read_text()
        time.sleep(0.05)
    lines = [line.strip() for line in output.read_text().splitlines() if "curl " in line]
    yield process, output, lines
    if process.poll() is None:
        process.kill()
        process.wait()


def _run(line):
    done = subprocess.run(["/bin/sh", "-c", line], check=False, text=True, capture_output=True,
                          timeout=30)
    assert done.returncode == 0, f"{line}: {done.stderr}"
    return done.stdout


def test_every_printed_curl_line_works(serving):
    _, _, lines = serving
    assert len(lines) == 9
    ready, cards, metrics, explained, mutate, filtered, scores, pending, bound = map(_run, lines)
    assert ready == "ok\n"
    assert len(json.loads(cards)["nodes"]) == 5
    assert "aliquot_allocator_ledger_cards 28" in metrics
    assert json.loads(explained)["state"] == "bound"
    assert json.loads(mutate)["response"]["allowed"] is True
    assert "infer-1" in json.loads(filtered)["NodeNames"]
    assert max(each["Score"] for each in json.loads(scores)) == 10
    assert json.loads(pending)["state"] == "pending"
    assert json.loads(bound) == {"Error": ""}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_demo_and_leaves_nothing_running(serving, number):
    process, output, _ = serving
    children = _allocators_below(process.pid)
    assert len(children) == 1
    folder = re.search(r"(/\S*aliquot-demo-\w+)/allocator\.log", output.read_text())[1]
    process.send_signal(number)
    assert process.wait(30) == 0, output.read_text()
    assert not any(map(_alive, children))
    assert not os.path.exists(folder)


def test_a_killed_demo_leaves_nothing_running(serving):
    process, _, _ = serving
    children = _allocators_below(process.pid)
    assert len(children) == 1
    process.kill()
    process.wait()
    deadline = time.monotonic() + 10
    while any(map(_alive, children)):
        assert time.monotonic() < deadline, f"still running: {children}"
        time.sleep(0.05)
