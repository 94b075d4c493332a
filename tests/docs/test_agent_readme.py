# SPDX-License-Identifier: Apache-2.0
"""What the documents tell to try with aliquot-agent works as it is written there."""
import os
import re
import shutil
import socket
import subprocess
import tempfile
import pathlib

import pytest

from agent_process import PROGRAM, ROOT


def free_port():
    """A port of loopback that nobody listened on a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


@pytest.fixture(name="checkout")
def _checkout():
    """A directory with what the snippet needs of a checkout. Short, as sockets have short paths."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="aliquot-try-"))
    (folder / "out" / "bin").mkdir(parents=True)
    (folder / "out" / "bin" / "aliquot-agent").symlink_to(PROGRAM)
    for name in ("config", "profiles"):
        (folder / name).symlink_to(ROOT / name)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.parametrize("readme", ["README.md", "README.zh.md"])
def test_the_agent_of_the_readme_shows_its_cards_and_what_it_waits_for(checkout, readme):
    (block,) = re.findall(r"```sh\n(.*?)```", (ROOT / readme).read_text(), flags=re.DOTALL)
    assert block.count("8082") == 3
    script = block.replace("8082", free_port()) + "wait $!; echo ended with $?\n"
    done = subprocess.run(["bash", "-c", script], cwd=checkout, check=False, timeout=60, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    log = (checkout / "out" / "try" / "log").read_text()
    assert done.stdout.startswith("ROOT:8\n|---GPU0 "), done.stdout + log
    assert len(re.findall(r"^\|---GPU\d .*totalMemory: 16384, allocatableCores: 100,", done.stdout, flags=re.MULTILINE)) == 8
    assert "this node's object has not been read from the API server yet" in done.stdout
    # 2: it had something to say to the node and nobody took it.
    assert re.search(r"^ended with [02]$", done.stdout, flags=re.MULTILINE), done.stdout + log


def validate(*arguments, **environment):
    """(exit status, output) of --validate-config; NODE_NAME is set only where it is given."""
    kept = {key: value for key, value in os.environ.items() if key != "NODE_NAME"}
    done = subprocess.run([PROGRAM, "--validate-config", *arguments], cwd=ROOT, env={**kept, **environment}, check=False,
                          timeout=30, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def test_the_shipped_configuration_is_valid_on_a_node():
    assert validate("--config", "config/agent.yaml", NODE_NAME="n1") == (0, "")
    status, output = validate("--config", "config/agent.yaml")
    assert status == 1 and "nodeName" in output


def test_the_exit_codes_and_flags_of_the_reference_page_are_the_programs():
    page = (ROOT / "docs/reference/agent-configuration.md").read_text()
    shown = subprocess.run([PROGRAM, "--help"], check=True, timeout=30, text=True, stdout=subprocess.PIPE).stdout
    programs = set(re.findall(r"--[a-z-]+", shown)) - {"--help"}
    rows = re.findall(r"^\| (`--.*?) \| ", page, flags=re.MULTILINE)
    assert programs == set(re.findall(r"--[a-z-]+", " ".join(rows)))
    assert validate("--no-such-flag")[0] == 1
