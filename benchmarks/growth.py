"""How fit and certify grow with rows, columns, labels and test rows.

usage: python benchmarks/growth.py [--quick]"""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import pandas as pd

from bench import arguments, codes_and_labels, report, seconds, with_holes
from nbrobust import CertifiableNB

BASE = {"rows": 100_000, "columns": 20, "labels": 3, "test rows": 10_000}
FULL = {"rows": (1000, 10_000, 100_000, 1_000_000), "columns": (5, 20, 80, 320), "labels": (2, 8, 32, 128), "test rows": (100, 1000, 10_000, 100_000, 1_000_000)}
QUICK = {"rows": (1000, 10_000), "columns": (5, 20), "labels": (2, 8), "test rows": (100, 1000)}


def measure(n, d, m, k, rounds):
    "Seconds to fit n rows and to certify k."
    (codes, y), (tests, _) = codes_and_labels(n, d, m, seed=0), codes_and_labels(k, d, m, seed=2)
    X, T = with_holes(codes, "float32"), with_holes(tests, "float32", missing=0)
    clf = CertifiableNB(alpha=1).fit(X, y)
    return {"fit": seconds(lambda: clf.fit(X, y), rounds), "certify": seconds(lambda: clf.certify(T), rounds)}


def draw(frame, path):
    "Four panels, both axes logarithmic."
    fig, axes = plt.subplots(1, 4, figsize=(12, 3), sharey=True)
    for ax, (what, part) in zip(axes, frame.groupby("growing", sort=False)):
        for name, style in (("fit", "o-"), ("certify", "s--")): ax.loglog(part["to"], part[name], style, label=name)
        others = ", ".join(f"{v:,} {k}" for k, v in BASE.items() if k != what)
        ax.set(xlabel=what)
        ax.set_title(others, fontsize=7)
        ax.grid(alpha=0.3)
    axes[0].set_ylabel("seconds")
    axes[0].legend()
    fig.tight_layout()
    fig.savefig(path, dpi=110, metadata={"Software": None})


def main():
    args = arguments(__doc__)
    grid, rounds = (QUICK, 1) if args.quick else (FULL, 5)
    rows = [{"growing": what, "to": value, **measure(*{**BASE, **({"rows": 10_000} if args.quick else {}), what: value}.values(), rounds)} for what, values in grid.items() for value in values]
    report("growth, seconds; the other sizes as in " + str(BASE), rows, "growth", args.out)
    if args.out: draw(pd.DataFrame(rows), args.out / "growth.png")


if __name__ == "__main__": main()
