"""Fit and certify a million rows against scikit-learn's CategoricalNB, which sees the same table
complete.

usage: python benchmarks/certify.py [--quick]
Both smooth with alpha = 1."""

import json
import statistics
import subprocess
import sys

from sklearn.naive_bayes import CategoricalNB

from bench import (alternate, arguments, codes_and_labels, peak_allocated, peak_resident, report,
                   with_holes)
from nbrobust import CertifiableNB

SKLEARN = "CategoricalNB, complete"
KINDS = ["float32", "DataFrame str", "DataFrame str, words", "NumPy object", "NumPy U1"]
SHOWN = ["input", "seconds", "fastest", "slowest", "CPU seconds", "ratio",
         "peak MB", "resident MB", "2 × codes MB"]
D, M = 20, 3


def inputs(kind, n, k):
    "Training table, labels and test rows of one kind."
    codes, y = codes_and_labels(n, D, M, seed=0)
    tests, _ = codes_and_labels(k, D, M, seed=2)
    if kind == SKLEARN: return codes, y, tests
    return with_holes(codes, kind), y, with_holes(tests, kind, missing=0)


def program(kind, X, y, tests):
    "Fit, and answer for the test rows."
    if kind == SKLEARN: return lambda: CategoricalNB(alpha=1).fit(X, y).predict(tests)
    missing = "?" if kind == "NumPy U1" else ()
    return lambda: CertifiableNB(alpha=1, missing_values=missing).fit(X, y).certify(tests)


def resident(kind, n, k):
    "Peak memory above the input, from a process that does nothing else."
    command = [sys.executable, __file__, "--child", kind, str(n), str(k)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def child(kind, n, k):
    "In the fresh process: a small run first, so that what is loaded once is not counted."
    warm_up(kind)
    print(json.dumps(peak_resident(program(kind, *inputs(kind, n, k)))))


def warm_up(kind):
    small = program(kind, *inputs(kind, 1000, 100))
    small()


def main():
    args = arguments(__doc__)
    n, k, rounds = (50_000, 1000, 3) if args.quick else (1_000_000, 10_000, 7)
    programs = {kind: program(kind, *inputs(kind, n, k)) for kind in (SKLEARN, *KINDS)}
    for kind in programs:
        warm_up(kind)
    times = alternate(programs, rounds)
    yardstick = statistics.median(times[SKLEARN][0])
    rows = []
    for kind, (wall, cpu) in times.items():
        rows.append({
            "input": kind,
            "rows": n,
            "columns": D,
            "test rows": k,
            "seconds": statistics.median(wall),
            "fastest": min(wall),
            "slowest": max(wall),
            "CPU seconds": statistics.median(cpu),
            "ratio": statistics.median(wall) / yardstick,
            "peak MB": peak_allocated(programs[kind]) / 1e6,
            "resident MB": resident(kind, n, k) / 1e6,
            "2 × codes MB": 2 * n * D / 1e6,
        })
    report(f"fit + certify, median of {rounds} alternating runs", rows, "certify", args.out, SHOWN)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2], *map(int, sys.argv[3:]))
    else:
        main()
