"""Count worlds on a table of 100,000 rows with many holes, near ties made on purpose included.

usage: python benchmarks/count.py [--quick]
With NBROBUST_DATA set to a folder that holds star_classification_100k.csv.gz, that table is used;
else a made-up one of the same shape. The decision rule is the paper's: no smoothing."""

import time
from dataclasses import dataclass

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from bench import arguments, codes_and_labels, peak_allocated, report
from nbrobust import CertifiableNB
from nbrobust.datasets import find, load
from nbrobust.tables.bins import NumericBinner
from nbrobust.tables.read import punch_holes

MIXED = 4000  # rows, of which the nearest ties are taken


@dataclass(frozen=True)
class Table:
    "A complete table of numbers that stand for categories."
    X: object      # a data frame, or an (n, d) array
    y: np.ndarray  # (n,) labels
    domains: dict  # column → its values

    def first(self, n): return Table(rows_of(self.X, slice(n)), self.y[:n], self.domains)


def made_up(n, d, signal):
    codes, y = codes_and_labels(n, d, 3, seed=0, signal=signal)
    return Table(codes.astype(float), y, {j: range(5) for j in range(d)})


def read_table(n):
    "Its name, and the table in bins."
    if find("star_classification_100k") is None:
        return "made up", made_up(n, 9, signal=0.1)
    X, y = load("star_classification_100k", download=False)
    binner = NumericBinner().fit(X)
    whole = Table(binner.transform(X), np.asarray(y), binner.domains_)
    return "star_classification", whole.first(n)


# ---- frames and arrays alike


def is_frame(X): return hasattr(X, "iloc")


def rows_of(X, rows): return X.iloc[rows] if is_frame(X) else X[rows]


def column_of(X, c): return X[c] if is_frame(X) else X[:, c]


def set_column(X, c, values):
    if is_frame(X):
        X[c] = values
    else:
        X[:, c] = values


def shuffle_columns(X, rng):
    "Each column in an order of its own."
    if is_frame(X): return X.apply(lambda column: rng.permutation(column.to_numpy()))
    return rng.permuted(X, axis=0)


# ---- the rows that are asked about


def completed(holed, domains, rng):
    "A completion, drawn at random."
    filled = holed.copy()
    for c, values in domains.items():
        cells = column_of(filled, c)
        drawn = rng.choice(values, len(cells))
        set_column(filled, c, np.where(np.isnan(cells), drawn, cells))
    return filled


def near_ties(clf, X, rng, wanted):
    """Rows, mixed from the values of the table, whose two best supports are as close as can be.

    `clf` knows a completed table."""
    some = rows_of(X, rng.integers(0, len(X), MIXED))
    mixed = shuffle_columns(some, rng)
    ranked = np.sort(clf.predict_proba(mixed), axis=1)
    lead = ranked[:, -1] - ranked[:, -2]
    return rows_of(mixed, np.argsort(lead)[:wanted])


def measure(clf, tests, tol):
    "Seconds, widths and memory, one row at a time."
    seconds, widths, shares = [], [], []
    for r in range(len(tests)):
        one = rows_of(tests, slice(r, r + 1))
        start = time.perf_counter()
        worlds = clf.count_worlds(one, tol=tol)
        seconds.append(time.perf_counter() - start)
        widths.append(float((worlds.upper - worlds.lower).max()))
        shares.append(float(worlds.lower.max()))
    last = rows_of(tests, slice(-1, None))
    peak = peak_allocated(lambda: clf.count_worlds(last, tol=tol))
    return {
        "median s": float(np.median(seconds)),
        "95 % s": float(np.quantile(seconds, 0.95)),
        "widest": max(widths),
        "least likely winner": min(shares),
        "peak MB": peak / 1e6,
    }


def run(table, growing, n_tests, rate=0.8, tol=1e-3):
    "Two rows of the results: ordinary rows, and near ties."
    rng = np.random.default_rng(int(rate * 100))
    n = len(table.X)
    tests = rng.choice(n, n_tests, replace=False)
    rest = np.setdiff1d(np.arange(n), tests)
    training, labels = rows_of(table.X, rest), table.y[rest]
    holed = punch_holes(training, rate, rng)
    filled = completed(holed, table.domains, rng)
    clf = CertifiableNB(alpha=0, domains=table.domains).fit(holed, labels)
    knows_all = CertifiableNB(alpha=0, domains=table.domains).fit(filled, labels)
    close = near_ties(knows_all, training, rng, n_tests)
    d = len(table.domains)
    about = {"growing": growing, "rows": n, "columns": d, "missing": rate, "tol": tol}
    for kind, asked in (("as they are", rows_of(table.X, tests)), ("near ties", close)):
        yield {**about, "test rows": kind, **measure(clf, asked, tol)}


def growth(table):
    "How the time grows with the width asked for, with rows, and, on made-up tables, with columns."
    for tol in (1e-2, 3e-3, 1e-3, 5e-4):
        yield from run(table, "tol", 6, tol=tol)
    for n in (1_000, 10_000, 100_000):
        yield from run(table.first(n), "rows", 6)
    for d in (3, 6, 9, 18):
        yield from run(made_up(100_000, d, signal=0.05), "columns", 6)


def draw(frame, path):
    "Median seconds a row against what grows, one panel each."
    fig, axes = plt.subplots(1, 4, figsize=(12, 3), sharey=True)
    for ax, what in zip(axes, ("missing", "tol", "rows", "columns")):
        lines = frame[frame["growing"] == what].groupby("test rows")
        for kind, part in lines:
            ax.plot(part[what], part["median s"], "o-", label=kind)
        ax.set(xlabel=what, yscale="log", xscale="linear" if what == "missing" else "log")
        ax.grid(alpha=0.3)
    axes[0].set_ylabel("median seconds a row")
    axes[0].legend()
    fig.tight_layout()
    fig.savefig(path, dpi=110, metadata={"Software": None})


def main():
    args = arguments(__doc__)
    n, rates, n_tests = 100_000, (0.2, 0.4, 0.6, 0.8), 32
    if args.quick:
        n, rates, n_tests = 5_000, (0.2, 0.8), 4
    name, table = read_table(n)
    results = []
    for rate in rates:
        results += run(table, "missing", n_tests, rate=rate)
    if not args.quick:
        results += growth(table)
    if args.out:
        draw(pd.DataFrame(results), args.out / "count.png")
    report(f"count_worlds, {name}", results, "count", args.out)


if __name__ == "__main__": main()
