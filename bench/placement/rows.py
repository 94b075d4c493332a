# SPDX-License-Identifier: Apache-2.0
"""The rows of a report: a figure, the peer's in the same run, what it must reach and the aim."""


class Rows:
    """Collects rows; says which miss what they must reach."""

    def __init__(self):
        self.rows = []

    # A row has many parts; named ones read best at the call.
    def add(self, name, value, unit, *, baseline=None, must=None, target=None, at_most=False):
        """`at_most`: smaller is better, so value must not exceed `must`."""
        kept = None
        if must is not None:
            kept = value <= must if at_most else value >= must
        self.rows.append({"name": name, "value": _rounded(value), "unit": unit, "baseline": _rounded(baseline),
                          "must": _rounded(must), "target": _rounded(target), "kept": kept})

    def missed(self):
        """Rows whose must is not reached."""
        return [row for row in self.rows if row["kept"] is False]

    def print_table(self):
        """For a person."""
        print(f"\n{'figure':66} {'value':>9} {'unit':8} {'baseline':>9} {'must':>9} {'aim':>9}")
        for row in self.rows:
            cells = [f"{row[key]:g}" if row[key] is not None else ""
                     for key in ("value", "baseline", "must", "target")]
            mark = {None: "", True: " ok", False: " MISSED"}[row["kept"]]
            print(f"{row['name']:66} {cells[0]:>9} {row['unit']:8} {cells[1]:>9} {cells[2]:>9} {cells[3]:>9}{mark}")


def _rounded(value):
    return value if value is None else round(value, 3)
