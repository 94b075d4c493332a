# SPDX-License-Identifier: Apache-2.0
"""Plain-text tables and bars."""
import textwrap

_WIDTH = 100
_BAR = 25  # one cell is 4 % of a card


def table(header, rows):
    """A table; each row's last cell goes below it, indented, as it is a sentence."""
    count = len(header)
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(count)]

    def line(cells):
        return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths)).rstrip()
    lines = [line(header), "-" * _WIDTH]
    for row in rows:
        lines.append(line(row[:count]))
        lines += textwrap.wrap(row[count], _WIDTH, initial_indent="    ", subsequent_indent="    ")
    return "\n".join(lines)


def _bar(before, after):
    held, full = round(before * _BAR / 100), round(after * _BAR / 100)
    return "[" + "#" * held + "+" * (full - held) + "." * (_BAR - full) + "]"


def _gib(mib):
    return f"{mib / 1024:.1f}"


def cards(before, after):
    """Every card as a bar: what was held, what the demo gave, what is free."""
    lines = [f"cards after ({'#'} held before, {'+'} given by this demo, {'.'} free):"]
    for node_before, node in zip(before["nodes"], after["nodes"]):
        note = "  (cordoned)" if node["cordoned"] else ""
        lines.append(f"\n  {node['name']}  {node['cards'][0]['model']}{note}")
        for was, card in zip(node_before["cards"], node["cards"]):
            memory = f"{_gib(card['mib_used']):>5} of {_gib(card['mib_total'])} GiB"
            if card["usable"]:
                drawn = f"{_bar(was['core_used'], card['core_used'])} {card['core_used']:>3} %"
                drawn += f"  {memory}  {card['pods']} pod{'' if card['pods'] == 1 else 's'}"
            else:
                drawn = "[" + "x" * _BAR + "] unhealthy, left out"
            lines.append(f"    card {card['minor']} {drawn}")
    return "\n".join(lines)
