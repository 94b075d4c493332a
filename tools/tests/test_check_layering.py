# SPDX-License-Identifier: Apache-2.0
"""tools/check-layering.py on small trees with one breach each."""
import pathlib
import subprocess

import pytest

TOOL = pathlib.Path(__file__).resolve().parents[1] / "check-layering.py"


@pytest.fixture(name="tree")
def fixture_tree(tmp_path):
    """base <- model <- ledger, with one file each; a function that writes a file."""
    def write(name, text):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    write("CMakeLists.txt", "set(aliquot_rooms base model\n                  ledger)\n")
    write("src/base/CMakeLists.txt", "add_library(aliquot_base STATIC a.cc)\n")
    write("src/base/a.cc", '#include "base/a.h"\n#include <string>\n')
    write("src/model/CMakeLists.txt",
          "add_library(aliquot_model STATIC a.cc)\n"
          "target_link_libraries(aliquot_model PUBLIC aliquot_base PRIVATE aliquot_warnings)\n")
    write("src/model/a.cc", '#include "base/a.h"\n')
    write("src/ledger/CMakeLists.txt",
          "target_link_libraries(aliquot_ledger PUBLIC aliquot_model)\n")
    write("src/ledger/a.cc", '#include "base/a.h"\n#include "model/a.h"\n#include "ledger/a.h"\n')
    return tmp_path, write


def _check(root):
    done = subprocess.run(["/usr/bin/python3", TOOL, root], check=False, text=True,
                          capture_output=True)
    return done.returncode, done.stdout.splitlines()


def test_a_public_link_passes_on(tree):
    assert _check(tree[0]) == (0, ["layering: 0 breaches"])


def test_a_private_link_does_not_pass_on(tree):
    root, write = tree
    write("src/model/CMakeLists.txt", "target_link_libraries(aliquot_model PRIVATE aliquot_base)\n")
    assert _check(root) == (1, ["src/ledger/a.cc: includes base/, which src/ledger does not link",
                                "layering: 1 breaches"])


def test_an_include_upwards_is_found(tree):
    root, write = tree
    write("src/base/b.h", '#include "ledger/a.h"\n')
    assert _check(root) == (1, ["src/base/b.h: includes ledger/, which does not stand below src/base",
                                "layering: 1 breaches"])


def test_a_link_upwards_is_found(tree):
    root, write = tree
    write("src/base/CMakeLists.txt", "target_link_libraries(aliquot_base PUBLIC aliquot_ledger)\n")
    status, lines = _check(root)
    assert status == 1
    assert "src/base/CMakeLists.txt: links ledger, which does not stand below it" in lines


def test_a_room_without_a_height_is_found(tree):
    root, write = tree
    write("src/attic/CMakeLists.txt", "add_library(aliquot_attic STATIC a.cc)\n")
    assert _check(root)[0] == 1


@pytest.fixture(name="nested")
def fixture_nested(tree):
    """The same tree with the rooms agent/gpu and agent, the outer one above the inner one."""
    root, write = tree
    write("CMakeLists.txt", "set(aliquot_rooms base model ledger agent/gpu agent)\n")
    write("src/agent/gpu/CMakeLists.txt",
          "add_library(aliquot_agent_gpu STATIC card.cc)\n"
          "target_link_libraries(aliquot_agent_gpu PUBLIC aliquot_base)\n")
    write("src/agent/gpu/card.cc", '#include "agent/gpu/card.h"\n#include "base/a.h"\n')
    write("src/agent/CMakeLists.txt",
          "target_link_libraries(aliquot_agent PUBLIC aliquot_agent_gpu)\n")
    write("src/agent/main.cc", '#include "agent/gpu/card.h"\n#include "agent/main.h"\n')
    return root, write


def test_a_room_inside_another_ones_folder_is_a_room_of_its_own(nested):
    assert _check(nested[0]) == (0, ["layering: 0 breaches"])


def test_an_include_belongs_to_the_innermost_room(nested):
    root, write = nested
    write("src/agent/gpu/card.cc", '#include "agent/main.h"\n')
    assert _check(root) == (
        1, ["src/agent/gpu/card.cc: includes agent/, which does not stand below src/agent/gpu",
            "layering: 1 breaches"])


def test_a_nested_room_that_is_not_linked_may_not_be_included(nested):
    root, write = nested
    write("src/agent/CMakeLists.txt", "target_link_libraries(aliquot_agent PUBLIC aliquot_base)\n")
    assert _check(root) == (
        1, ["src/agent/main.cc: includes agent/gpu/, which src/agent does not link",
            "layering: 1 breaches"])


def test_a_folder_that_is_no_room_belongs_to_the_room_around_it(nested):
    root, write = nested
    write("src/agent/gpu/wire/frame.h", '#include "model/a.h"\n')
    assert _check(root) == (
        1, ["src/agent/gpu/wire/frame.h: includes model/, which src/agent/gpu does not link",
            "layering: 1 breaches"])


def test_a_room_may_link_a_second_library_of_its_own(nested):
    root, write = nested
    write("src/agent/gpu/CMakeLists.txt",
          "add_library(aliquot_agent_gpu STATIC card.cc)\n"
          "add_library(aliquot_agent_gpu_messages STATIC message.cc)\n"
          "target_link_libraries(aliquot_agent_gpu PUBLIC aliquot_base\n"
          "                      PRIVATE aliquot_agent_gpu_messages)\n")
    assert _check(root) == (0, ["layering: 0 breaches"])
