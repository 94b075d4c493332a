#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the service's choices of cards with brute force from the raw topology files.

    check.py [--all] [--every-free-set] [FILE ...]

--all: every complete file of tests/data/topology. Up to 8 cards every free set, size and kind of
request is compared; of more cards a sample, or with --every-free-set all of up to 8 cards. Builds the
program that it asks, prints a line a file, and fails on a difference.
"""
import argparse
import pathlib
import random
import subprocess
import sys

import comparison


def main():
    """Parses the arguments, compares, prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--all", action="store_true", help="every complete file at hand")
    parser.add_argument("--every-free-set", action="store_true", help="no sample: minutes for 16 cards")
    parser.add_argument("--seed", type=int, default=20261129, help="of the samples")
    arguments = parser.parse_args()
    files = arguments.files + (comparison.topologies() if arguments.all else [])
    if not files:
        parser.error("name a file, or --all")
    if comparison.PROGRAM.is_relative_to(comparison.ROOT / "build" / "release"):
        subprocess.run([comparison.ROOT / "tools" / "build.sh", "release", "placement_choices"],
                       check=True, stdout=subprocess.DEVNULL)
    wrong = 0
    for path in files:
        compared, found = comparison.differences(path, arguments.every_free_set,
                                                 random.Random(arguments.seed))
        print(f"{path.name}: {compared - len(found)} of {compared} choices are the best set "
              f"(seed {arguments.seed})", flush=True)
        for line in found[:5]:
            print("  " + line)
        wrong += len(found)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
