"""How fit and certify grow with rows, columns, labels and test rows.

usage: python benchmarks/growth.py [--quick]"""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import pandas as pd

from bench import arguments, codes_and_labels, report, seconds, with_holes
from nbrobust import CertifiableNB

BASE = {"rows": 100_000, "columns": 20, "labels": 3, "test rows": 10_000}
FULL = {
    "rows": (1000, 10_000, 100_000, 1_000_000),
    "columns": (5, 20, 80, 320),
    "labels": (2, 8, 32, 128),
    "test rows": (100, 1000, 10_000, 100_000, 1_000_000),
}
QUICK_BASE = {**BASE, "rows": 10_000}
QUICK = {"rows": (1000, 10_000), "columns": (5, 20), "labels": (2, 8), "test rows": (100, 1000)}


def measure(sizes, rounds):
    "Seconds to fit a table and to certify the test rows."
    d, m = sizes["columns"], sizes["labels"]
    codes, y = codes_and_labels(sizes["rows"], d, m, seed=0)
    tests, _ = codes_and_labels(sizes["test rows"], d, m, seed=2)
    X = with_holes(codes, "float32")
    T = with_holes(tests, "float32", missing=0)
    clf = CertifiableNB(alpha=1).fit(X, y)
    fitting = seconds(lambda: clf.fit(X, y), rounds)
    certifying = seconds(lambda: clf.certify(T), rounds)
    return {"fit": fitting, "certify": certifying}


def draw(frame, path):
    "Four panels, both axes logarithmic."
    fig, axes = plt.subplots(1, 4, figsize=(12, 3), sharey=True)
    for ax, (what, part) in zip(axes, frame.groupby("growing", sort=False)):
        for name, style in (("fit", "o-"), ("certify", "s--")):
            ax.loglog(part["to"], part[name], style, label=name)
        others = [f"{size:,} {name}" for name, size in BASE.items() if name != what]
        ax.set(xlabel=what)
        ax.set_title(", ".join(others), fontsize=7)
        ax.grid(alpha=0.3)
    axes[0].set_ylabel("seconds")
    axes[0].legend()
    fig.tight_layout()
    fig.savefig(path, dpi=110, metadata={"Software": None})


def main():
    args = arguments(__doc__)
    base, grid, rounds = (QUICK_BASE, QUICK, 1) if args.quick else (BASE, FULL, 5)
    rows = []
    for what, values in grid.items():
        for value in values:
            measured = measure({**base, what: value}, rounds)
            rows.append({"growing": what, "to": value, **measured})
    report(f"growth, seconds; the other sizes as in {BASE}", rows, "growth", args.out)
    if args.out:
        draw(pd.DataFrame(rows), args.out / "growth.png")


if __name__ == "__main__": main()
