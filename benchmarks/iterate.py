"""Certify ten thousand rows with the index, and with the algorithms that go without it, for tables of a thousand to a million rows.

usage: python benchmarks/iterate.py [--quick]"""

import time
from fractions import Fraction

import numpy as np

from bench import arguments, codes_and_labels, report, seconds, with_holes
from nbrobust.bayes.baselines import hole_labels, iterate, sampled_winners
from nbrobust.bayes.certify import certify_codes, exact_priors
from nbrobust.bayes.table import count_index, encode, read_labels

D, M, MISSING, WORLDS = 20, 3, 0.2, 100


def one_size(n, k, sample):
    "All algorithms on a table of n rows: a row of the results."
    (codes, y), (tests, _) = codes_and_labels(n, D, M, seed=0), codes_and_labels(k, D, M, seed=2)
    X = with_holes(codes, "float32", MISSING)
    counts, labels = count_index(X, y), read_labels(y)[1]
    table, rows = np.asfortranarray(encode(X, counts)), encode(tests, counts)
    build = seconds(lambda: count_index(X, y))
    many, few = (seconds(lambda: certify_codes(counts, rows[:size]), 5) for size in (k, k // 10))
    run = lambda: iterate(table, labels, rows[:sample], counts.sizes, M)
    assert (run().possible == certify_codes(counts, rows[:sample]).possible).all()
    per_row = seconds(run, 3) / sample
    start = time.perf_counter()
    won = sampled_winners(counts, hole_labels(counts, table, labels), rows, WORLDS, np.random.default_rng(0), Fraction(0), exact_priors(counts.N), "strict", "ignore")
    sampling = time.perf_counter() - start
    robust = certify_codes(counts, rows).possible.sum(axis=1) == 1
    assert not (robust & (won.sum(axis=1) > 1)).any()
    return {"rows": n, "columns": D, "test rows": k, "index: build s": build, "index: certify s": many, "µs per extra row": (many - few) / (k - k // 10) * 1e6,
            "iterate, rows timed": sample, "iterate: ms per row": per_row * 1e3, "iterate, scaled s": per_row * k, f"{WORLDS} worlds s": sampling,
            "iterate / certify": per_row * k / many, "iterate / (build + certify)": per_row * k / (build + many),
            "certain": float(robust.mean()), "called certain by sampling": float((won.sum(axis=1) == 1).mean())}


def main():
    args = arguments(__doc__)
    sizes, k = ((1000, 10_000), 1000) if args.quick else ((1000, 10_000, 100_000, 1_000_000), 10_000)
    rows = [one_size(n, k, min(k, max(30, 3_000_000 // n))) for n in sizes]
    report(f"certify {k:,} test rows; iterate is timed on some rows and scaled to all", rows, "iterate", args.out,
           ["rows", "index: build s", "index: certify s", "µs per extra row", "iterate: ms per row", "iterate, scaled s", f"{WORLDS} worlds s",
            "iterate / certify", "iterate / (build + certify)", "certain", "called certain by sampling"])


if __name__ == "__main__": main()
