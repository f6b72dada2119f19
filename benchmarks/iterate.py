"""Certify ten thousand rows with the index, and with the algorithms that go without it, for tables
of a thousand to a million rows.

usage: python benchmarks/iterate.py [--quick]
The decision rule is the paper's: no smoothing."""

import time

import numpy as np

from bench import arguments, codes_and_labels, report, seconds, with_holes
from nbrobust.bayes.baselines import hole_labels, iterate, sampled_winners
from nbrobust.bayes.certify import certify_codes
from nbrobust.bayes.counts import count_index, encode
from nbrobust.bayes.rule import Rule
from nbrobust.tables.codes import read_labels

D, M, MISSING, WORLDS = 20, 3, 0.2, 100
RULE = Rule(alpha=0)
SHOWN = ["rows", "index: build s", "index: certify s", "µs per extra row", "iterate: ms per row",
         "iterate, scaled s", f"{WORLDS} worlds s", "iterate / certify",
         "iterate / (build + certify)", "certain", "called certain by sampling"]


def time_certify(counts, rows):
    return seconds(lambda: certify_codes(counts, rows, RULE), 5)


def time_sampling(counts, table, labels, rows):
    "Seconds, and the labels that win in one of the worlds drawn."
    rng = np.random.default_rng(0)
    start = time.perf_counter()
    holes = hole_labels(counts, table, labels)
    won = sampled_winners(counts, holes, rows, WORLDS, rng, RULE)
    return time.perf_counter() - start, won


def one_size(n, k, sample):
    "All algorithms on a table of n rows: a row of the results."
    codes, y = codes_and_labels(n, D, M, seed=0)
    tests, _ = codes_and_labels(k, D, M, seed=2)
    X = with_holes(codes, "float32", MISSING)
    counts = count_index(X, y)
    labels = read_labels(y)[1]
    table = np.asfortranarray(encode(X, counts))
    rows = encode(tests, counts)

    build = seconds(lambda: count_index(X, y))
    many = time_certify(counts, rows)
    few = time_certify(counts, rows[: k // 10])

    some = rows[:sample]
    anew = iterate(table, labels, some, counts.sizes, M, RULE)
    assert (anew.possible == certify_codes(counts, some, RULE).possible).all()
    per_row = seconds(lambda: iterate(table, labels, some, counts.sizes, M, RULE), 3) / sample

    sampling, won = time_sampling(counts, table, labels, rows)
    robust = certify_codes(counts, rows, RULE).possible.sum(axis=1) == 1
    one_winner = won.sum(axis=1) == 1
    assert not (robust & (won.sum(axis=1) > 1)).any()
    return {
        "rows": n,
        "columns": D,
        "test rows": k,
        "index: build s": build,
        "index: certify s": many,
        "µs per extra row": (many - few) / (k - k // 10) * 1e6,
        "iterate, rows timed": sample,
        "iterate: ms per row": per_row * 1e3,
        "iterate, scaled s": per_row * k,
        f"{WORLDS} worlds s": sampling,
        "iterate / certify": per_row * k / many,
        "iterate / (build + certify)": per_row * k / (build + many),
        "certain": float(robust.mean()),
        "called certain by sampling": float(one_winner.mean()),
    }


def main():
    args = arguments(__doc__)
    sizes, k = (1000, 10_000, 100_000, 1_000_000), 10_000
    if args.quick:
        sizes, k = (1000, 10_000), 1000
    rows = []
    for n in sizes:
        sample = min(k, max(30, 3_000_000 // n))
        rows.append(one_size(n, k, sample))
    title = f"certify {k:,} test rows; iterate is timed on some rows and scaled to all"
    report(title, rows, "iterate", args.out, SHOWN)


if __name__ == "__main__": main()
