"""Optimal poisoning of single rows against the greedy loop that edits the table, row by row, as
the paper describes it.

usage: python benchmarks/poison.py [--quick]
With NBROBUST_DATA set to a folder that holds bodyPerformance.csv, that table is used; else a
made-up one of the same shape. The decision rule is the paper's, without smoothing, but for the
largest table."""

from dataclasses import dataclass

import numpy as np

from bench import arguments, codes_and_labels, report, seconds
from nbrobust import CertifiableNB
from nbrobust.datasets import find, load
from nbrobust.tables.bins import NumericBinner

TESTS = 1000
LARGE = (10_000, 100_000, 1_000_000)  # rows of the made-up tables
ROWS = 10_000  # of those that are asked about


def table():
    "Its name, a complete table of small integers, and its labels."
    if find("bodyPerformance") is None:
        return "made up", *codes_and_labels(13_393, 11, 4, seed=0, signal=0.3)
    X, y = load("bodyPerformance", download=False)
    binned = NumericBinner().fit_transform(X)
    codes = binned.apply(lambda column: column.astype("category").cat.codes)
    _, labels = np.unique(y, return_inverse=True)
    return "bodyPerformance", codes.to_numpy(dtype=np.int64), labels


@dataclass(frozen=True)
class Question:
    "A table, and the row whose prediction is to become uncertain."
    codes: np.ndarray   # (n, d)
    y: np.ndarray       # (n,) labels 0 … m−1
    t: np.ndarray       # (d,) codes of the row
    N: np.ndarray       # (m,) rows per label
    counts: list        # m arrays (d,): agreements per column
    anew: bool          # count from the table after each edit, or keep the counts up to date

    def support(self, label, counts):
        "Of a label with so many agreements per column."
        return self.N[label] / len(self.y) * (counts / self.N[label]).prod()


def greedy(codes, y, t, m, anew):
    "Algorithm 4 for every rival, editing a copy of the table: the fewest edits, or None."
    N = np.bincount(y, minlength=m)
    counts = [(codes[y == i] == t).sum(axis=0) for i in range(m)]
    question = Question(codes, y, t, N, counts, anew)
    star = int(np.argmax([question.support(i, counts[i]) for i in range(m)]))
    best = None
    for rival in set(range(m)) - {star}:
        for who, sign, other in ((rival, 1, star), (star, -1, rival)):
            goal = question.support(other, counts[other])
            steps = edit_label(question, who, sign, goal, best)
            if steps is not None:
                best = steps
    return best


def edit_label(question, who, sign, goal, best):
    """How many edits raise (sign 1) or lower (−1) the support of a label until it reaches the goal.

    None: no cell is left, or not in fewer steps than the best so far."""
    t = question.t
    table = question.codes.copy()
    mine = np.flatnonzero(question.y == who)
    counts = question.counts[who].copy()
    agree = question.codes[mine] == t
    steps = 0
    while sign * (question.support(who, counts) - goal) < 0:
        room = counts < len(mine) if sign == 1 else counts > 0
        if not room.any() or best is not None and steps >= best: return None
        j = int(np.flatnonzero(room)[counts[room].argmin()])
        r = int((agree[:, j] == (sign == -1)).argmax())
        table[mine[r], j] = t[j] if sign == 1 else -1
        agree[r, j] = sign == 1
        steps += 1
        if question.anew:
            counts = (table[mine] == t).sum(axis=0)
        else:
            counts = counts + sign * (np.arange(len(t)) == j)
    return steps


def compare(name, codes, y, n_sample):
    "Ours and the greedy loops on rows that are held out: rows of the results."
    tests = np.random.default_rng(0).choice(len(codes), TESTS, replace=False)
    rest = np.setdiff1d(np.arange(len(codes)), tests)
    X, labels, m = codes[rest], y[rest], y.max() + 1
    clf = CertifiableNB(alpha=0).fit(X, labels)
    fewest = clf.poison(codes[tests]).n_cells
    certain = np.flatnonzero(fewest > 0)
    sample = certain[:n_sample]
    ours = seconds(lambda: clf.poison(codes[tests]), 3)
    about = {"table": name, "rows": len(rest), "test rows": TESTS}
    rows = []
    for way, anew in (("counting anew", True), ("counts kept", False)):
        found = []
        loops = (greedy(X, labels, codes[tests[i]], m, anew) for i in sample)
        theirs = seconds(lambda: found.extend(loops), 1) / len(sample) * len(certain)
        assert all(cells >= optimum for cells, optimum in zip(found, fewest[sample]))
        program = f"greedy, {way}, scaled up from {len(sample)}"
        rows.append({**about, "program": program, "seconds": theirs, "ratio": theirs / ours})
    rows.append({**about, "program": "poison", "seconds": ours, "ratio": 1.0})
    return rows


def large(n):
    "Seconds for a made-up table of n rows."
    X, y = codes_and_labels(n, 12, 3, seed=1, signal=0.3)
    clf = CertifiableNB(alpha=0 if n < 1_000_000 else 1).fit(X, y)
    taken = seconds(lambda: clf.poison(X[:ROWS]), 1)
    return {
        "table": "made up",
        "rows": n,
        "test rows": ROWS,
        "program": f"poison, alpha {clf.alpha}",
        "seconds": taken,
        "ratio": float("nan"),
    }


def main():
    args = arguments(__doc__)
    rows = compare(*table(), n_sample=2 if args.quick else 20)
    if not args.quick:
        rows += [large(n) for n in LARGE]
    report("fewest blanked cells, per test row", rows, "poison", args.out)


if __name__ == "__main__": main()
