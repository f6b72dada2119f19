"""Blanks that break several rows together: the exact method against the greedy one, as test rows, table rows and features grow.

usage: python benchmarks/poison_many.py [--quick]
With NBROBUST_DATA set to a folder that holds bodyPerformance.csv, that table is used, too; the others are made up."""

import time

import numpy as np

from bench import arguments, codes_and_labels, report
from nbrobust import CertifiableNB
from poison import table

LIMIT = 20  # seconds for the proof


def measure(name, X, y, k, methods, limit, seed=0):
    "Both methods on k rows that are held out."
    rng = np.random.default_rng(seed)
    tests = rng.choice(len(X), k, replace=False)
    rest = np.setdiff1d(np.arange(len(X)), tests)
    clf = CertifiableNB(domains={j: range(X[:, j].max() + 1) for j in range(X.shape[1])}).fit(X[rest], y[rest])
    single, rows = clf.poison(X[tests]).n_cells, []
    for method in methods:
        start = time.perf_counter()
        q = clf.poison_many(X[tests], method=method, time_limit=limit if method == "exact" else None)
        rows.append({"table": name, "rows": len(rest), "features": X.shape[1], "test rows": k, "certain": int((single > 0).sum()), "method": method,
                     "seconds": time.perf_counter() - start, "cells": q.n_cells, "lower bound": q.lower_bound, "ratio": q.n_cells / max(1, q.lower_bound),
                     "proved": "yes" if q.optimal else "no", "dearest row": int(single.max()), "sum of rows": int(single[single > 0].sum())})
    return rows


def main():
    args, both, rows = arguments(__doc__), ("greedy", "exact"), []
    limit = 3 if args.quick else LIMIT
    for k in (2, 4) if args.quick else (2, 4, 8, 16): rows += measure("made up", *codes_and_labels(500, 6, 3, seed=0, signal=0.3), k, both, limit)
    for n in () if args.quick else (100, 10_000, 100_000): rows += measure("made up", *codes_and_labels(n, 6, 3, seed=0, signal=0.3), 4, both, limit)
    for d in () if args.quick else (3, 12): rows += measure("made up", *codes_and_labels(500, d, 3, seed=0, signal=0.3), 4, both, limit)
    name, X, y = table()
    for k in (10,) if args.quick else (10, 100, 1000): rows += measure(name, X, y, k, both if k == 10 else ("greedy",), limit)
    report("blanks that break all test rows", rows, "poison_many", args.out)


if __name__ == "__main__": main()
