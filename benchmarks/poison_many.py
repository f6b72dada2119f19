"""Blanks that break several rows together: the exact method against the greedy one, as test rows,
table rows and features grow.

usage: python benchmarks/poison_many.py [--quick]
With NBROBUST_DATA set to a folder that holds bodyPerformance.csv, that table is used, too; the
others are made up. The decision rule is the paper's: no smoothing."""

import time

import numpy as np

from bench import arguments, codes_and_labels, report
from nbrobust import CertifiableNB
from poison import table

BOTH = "greedy", "exact"
FULL = {
    "test rows": (2, 4, 8, 16),
    "rows": (100, 10_000, 100_000),
    "features": (3, 12),
    "real": (10, 100, 1000),  # test rows of bodyPerformance
}
QUICK = {"test rows": (2, 4), "rows": (), "features": (), "real": (10,)}


def measure(name, X, y, k, methods, limit):
    "The methods on k rows that are held out; `limit`: seconds for the proof."
    tests = np.random.default_rng(0).choice(len(X), k, replace=False)
    rest = np.setdiff1d(np.arange(len(X)), tests)
    domains = {j: range(X[:, j].max() + 1) for j in range(X.shape[1])}
    clf = CertifiableNB(alpha=0, domains=domains).fit(X[rest], y[rest])
    single = clf.poison(X[tests]).n_cells
    breakable = single[single > 0]
    rows = []
    for method in methods:
        time_limit = limit if method == "exact" else None
        start = time.perf_counter()
        found = clf.poison_many(X[tests], method=method, time_limit=time_limit)
        taken = time.perf_counter() - start
        rows.append({
            "table": name,
            "rows": len(rest),
            "features": X.shape[1],
            "test rows": k,
            "certain": len(breakable),
            "method": method,
            "seconds": taken,
            "cells": found.n_cells,
            "lower bound": found.lower_bound,
            "ratio": found.n_cells / max(1, found.lower_bound),
            "proved": "yes" if found.optimal else "no",
            "dearest row": int(single.max()),
            "sum of rows": int(breakable.sum()),
        })
    return rows


def made_up(limit, n=500, d=6, k=4):
    X, y = codes_and_labels(n, d, 3, seed=0, signal=0.3)
    return measure("made up", X, y, k, BOTH, limit)


def main():
    args = arguments(__doc__)
    grid, limit = (QUICK, 3) if args.quick else (FULL, 20)
    rows = []
    for k in grid["test rows"]:
        rows += made_up(limit, k=k)
    for n in grid["rows"]:
        rows += made_up(limit, n=n)
    for d in grid["features"]:
        rows += made_up(limit, d=d)
    name, X, y = table()
    for k in grid["real"]:
        rows += measure(name, X, y, k, BOTH if k == 10 else ["greedy"], limit)
    report("blanks that break all test rows", rows, "poison_many", args.out)


if __name__ == "__main__": main()
