#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that each room of src/ includes only rooms that it links and that stand below it.

The order of the rooms is the list in the root CMakeLists.txt, the links are each room's own
target_link_libraries; a PUBLIC link passes on to those who link the room. A room may lie inside
another one's folder: src/agent/gpu is the room agent/gpu with the library aliquot_agent_gpu, and a
file belongs to the innermost room. Prints one line a breach, exit status 1 when there is any.

    check-layering.py [ROOT]
"""
import pathlib
import re
import sys

_INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([\w./-]+)/[^/>"]+[>"]', re.MULTILINE)
_LIBRARY = re.compile(r"add_library\(\s*([\w-]+)")
_TARGETS = re.compile(r"target_link_libraries\(\s*([\w-]+)(.*?)\)", re.DOTALL)


def room_order(root):
    """The rooms from the lowest to the highest."""
    text = (root / "CMakeLists.txt").read_text()
    found = re.search(r"set\(aliquot_rooms\s+(.*?)\)", text, re.DOTALL)
    if not found:
        raise ValueError("CMakeLists.txt has no set(aliquot_rooms ...)")
    return found[1].split()


def room_of(folder, rooms):
    """The innermost room that a folder, given from src/, lies in; None outside all of them."""
    parts = folder.split("/")
    for count in range(len(parts), 0, -1):
        room = "/".join(parts[:count])
        if room in rooms:
            return room
    return None


def links_of(room_folder, room_of_library):
    """Two sets of rooms: all that the room's targets link, and those it links PUBLIC."""
    linked, public = set(), set()
    text = re.sub(r"#.*", "", (room_folder / "CMakeLists.txt").read_text())
    own = set(_LIBRARY.findall(text))
    for _, words in _TARGETS.findall(text):
        scope = "PUBLIC"
        for word in words.split():
            if word in ("PUBLIC", "PRIVATE", "INTERFACE"):
                scope = word
            elif word.startswith("aliquot_") and word != "aliquot_warnings" and word not in own:
                room = room_of_library.get(word, word[len("aliquot_"):])
                linked.add(room)
                if scope != "PRIVATE":
                    public.add(room)
    return linked, public


def reachable(room, links):
    """The rooms that `room` may include: its links, and what those pass on."""
    seen, waiting = set(), set(links[room][0])
    while waiting:
        at = waiting.pop()
        if at not in seen:
            seen.add(at)
            waiting |= links.get(at, (set(), set()))[1]
    return seen


def sources_by_room(source, rooms):
    """The C++ files under src/ of each room."""
    found = {room: [] for room in rooms}
    for path in sorted([*source.rglob("*.h"), *source.rglob("*.cc")]):
        room = room_of(path.parent.relative_to(source).as_posix(), rooms)
        if room:
            found[room].append(path)
    return found


def breaches(root):
    """One sentence for each breach."""
    order, source = room_order(root), root / "src"
    folders = {each.parent.relative_to(source).as_posix(): each.parent
               for each in sorted(source.rglob("CMakeLists.txt"))}
    rooms = set(order) | set(folders)
    libraries = {"aliquot_" + room.replace("/", "_"): room for room in rooms}
    links = {room: links_of(folder, libraries) for room, folder in folders.items()}
    files = sources_by_room(source, rooms)
    found = []
    for room in sorted(folders):
        if room not in order:
            found.append(f"src/{room}: not in aliquot_rooms of CMakeLists.txt; add it at its height")
            continue
        below = set(order[:order.index(room)])
        for linked in sorted(links[room][0] - below - {room}):
            found.append(f"src/{room}/CMakeLists.txt: links {linked}, which does not stand below it")
        allowed = (reachable(room, links) & below) | {room}
        for path in files[room]:
            included = {room_of(folder, rooms) for folder in _INCLUDE.findall(path.read_text())}
            for other in sorted(included - allowed - {None}):
                why = (f"which src/{room} does not link" if other in below
                       else f"which does not stand below src/{room}")
                found.append(f"{path.relative_to(root)}: includes {other}/, {why}")
    return found


def main():
    """Checks the tree given, or the one this file is in."""
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
    if root.is_file():
        root = root.parents[1]
    found = breaches(root)
    for line in found:
        print(line)
    print(f"layering: {len(found)} breaches")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
