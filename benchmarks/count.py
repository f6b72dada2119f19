"""Count worlds on a table of 100,000 rows with many holes, near ties made on purpose included.

usage: python benchmarks/count.py [--quick]
With NBROBUST_DATA set to a folder that holds star_classification_100k.csv.gz, that table is used; else a made-up one of the same shape."""

import time

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from bench import arguments, codes_and_labels, peak_allocated, report
from nbrobust import CertifiableNB
from nbrobust.bayes.table import NumericBinner, punch_holes
from nbrobust.datasets import find


def table(n):
    "Training table in bins and its labels; and the domains."
    if find("star_classification_100k") is None:
        codes, y = codes_and_labels(n, 9, 3, seed=0, signal=0.1)
        return "made up", codes.astype(float), y, {j: range(5) for j in range(9)}
    from nbrobust.datasets import load
    X, y = load("star_classification_100k", download=False)
    binner = NumericBinner().fit(X)
    return "star_classification", binner.transform(X)[:n], y[:n], binner.domains_


def near_ties(clf, X, rng, wanted, tried=4000):
    "Rows, mixed from the values of the table, whose two best supports are as close as can be; `clf` knows a completed table."
    some = X.iloc[rng.integers(0, len(X), tried)] if hasattr(X, "iloc") else X[rng.integers(0, len(X), tried)]
    if hasattr(X, "iloc"): some = some.apply(lambda column: rng.permutation(column.to_numpy()))
    else: some = rng.permuted(some, axis=0)
    p = np.sort(clf.predict_proba(some), axis=1)
    order = np.argsort(p[:, -1] - p[:, -2])[:wanted]
    return some.iloc[order] if hasattr(some, "iloc") else some[order]


def run(X, y, domains, rate=0.8, rows=6, tol=1e-3, growing="missing"):
    "Seconds and widths for ordinary rows and near ties."
    rng = np.random.default_rng(int(rate * 100))
    tests = rng.choice(len(X), rows, replace=False)
    rest = np.setdiff1d(np.arange(len(X)), tests)
    take = (lambda r: X.iloc[r]) if hasattr(X, "iloc") else (lambda r: X[r])
    labels, holed = np.asarray(y)[rest], punch_holes(take(rest), rate, rng)
    clf, completed = CertifiableNB(domains=domains).fit(holed, labels), holed.copy()
    for c, values in domains.items():
        column = completed[c] if hasattr(completed, "iloc") else completed[:, c]
        filled = np.where(np.isnan(column), rng.choice(values, len(column)), column)
        if hasattr(completed, "iloc"): completed[c] = filled
        else: completed[:, c] = filled
    close = near_ties(CertifiableNB(domains=domains).fit(completed, labels), take(rest), rng, rows)
    for kind, test in (("as they are", take(tests)), ("near ties", close)):
        seconds, widths, shares = [], [], []
        for r in range(rows):
            one = test.iloc[r:r + 1] if hasattr(test, "iloc") else test[r:r + 1]
            start = time.perf_counter()
            w = clf.count_worlds(one, tol=tol)
            seconds.append(time.perf_counter() - start)
            widths.append(float((w.upper - w.lower).max()))
            shares.append(float(w.lower.max()))
        peak = peak_allocated(lambda: clf.count_worlds(test[-1:] if not hasattr(test, "iloc") else test.iloc[-1:], tol=tol))
        yield {"growing": growing, "rows": len(X), "columns": len(domains), "missing": rate, "tol": tol, "test rows": kind, "median s": float(np.median(seconds)), "95 % s": float(np.quantile(seconds, 0.95)),
               "widest": max(widths), "least likely winner": min(shares), "peak MB": peak / 1e6}


def draw(frame, path):
    "Median seconds a row against what grows, one panel each."
    fig, axes = plt.subplots(1, 4, figsize=(12, 3), sharey=True)
    for ax, what in zip(axes, ("missing", "tol", "rows", "columns")):
        for kind, part in frame[frame["growing"] == what].groupby("test rows"): ax.plot(part[what], part["median s"], "o-", label=kind)
        ax.set(xlabel=what, yscale="log", xscale="linear" if what == "missing" else "log")
        ax.grid(alpha=0.3)
    axes[0].set_ylabel("median seconds a row")
    axes[0].legend()
    fig.tight_layout()
    fig.savefig(path, dpi=110, metadata={"Software": None})


def main():
    args = arguments(__doc__)
    name, X, y, domains = table(5_000 if args.quick else 100_000)
    results = [row for rate in ((0.2, 0.8) if args.quick else (0.2, 0.4, 0.6, 0.8)) for row in run(X, y, domains, rate, 4 if args.quick else 32)]
    if args.out:
        results += [row for tol in (1e-2, 3e-3, 1e-3, 5e-4) for row in run(X, y, domains, tol=tol, growing="tol")]
        results += [row for n in (1_000, 10_000, 100_000) for row in run(X[:n], y[:n], domains, growing="rows")]
        for d in (3, 6, 9, 18):  # a made-up table, for any number of columns
            codes, labels = codes_and_labels(100_000, d, 3, seed=0, signal=0.05)
            results += run(codes.astype(float), labels, {j: range(5) for j in range(d)}, growing="columns")
        draw(pd.DataFrame(results), args.out / "count.png")
    report(f"count_worlds, {name}", results, "count", args.out)


if __name__ == "__main__": main()
