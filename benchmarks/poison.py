"""Optimal poisoning of single rows against the greedy loop that edits the table, row by row, as the paper describes it.

usage: python benchmarks/poison.py [--quick]
With NBROBUST_DATA set to a folder that holds bodyPerformance.csv, that table is used; else a made-up one of the same shape."""

import numpy as np

from bench import arguments, codes_and_labels, report, seconds
from nbrobust import CertifiableNB
from nbrobust.bayes.table import NumericBinner
from nbrobust.datasets import find, load


def table():
    "A complete table of small integers, its labels, and the domains."
    if find("bodyPerformance") is None: return "made up", *codes_and_labels(13_393, 11, 4, seed=0, signal=0.3)
    X, y = load("bodyPerformance", download=False)
    binned = NumericBinner().fit_transform(X)
    codes = binned.apply(lambda c: c.astype("category").cat.codes).to_numpy(dtype=np.int64)
    return "bodyPerformance", codes, np.unique(y, return_inverse=True)[1]


def greedy(codes, y, t, m, anew):
    "Algorithm 4 for every rival, editing a copy of the table cell by cell. `anew`: shares are counted anew from the table after each edit; else they are kept up to date."
    share, best = np.bincount(y, minlength=m) / len(y), None
    start = [(codes[y == i] == t).sum(axis=0) for i in range(m)]
    star = int(np.argmax([share[i] * (start[i] / (y == i).sum()).prod() for i in range(m)]))
    for rival in set(range(m)) - {star}:
        for who, sign in ((rival, 1), (star, -1)):
            table, mine, counts, steps = codes.copy(), np.flatnonzero(y == who), start[who].copy(), 0
            other = star if who == rival else rival
            fixed = share[other] * (start[other] / (y == other).sum()).prod()
            agree = codes[mine] == t
            while sign * (share[who] * (counts / len(mine)).prod() - fixed) < 0:
                room = counts < len(mine) if sign == 1 else counts > 0
                if not room.any() or best is not None and steps >= best: steps = None; break
                j = int(np.flatnonzero(room)[counts[room].argmin()])
                r = int((agree[:, j] == (sign == -1)).argmax())
                table[mine[r], j], agree[r, j], steps = t[j] if sign == 1 else -1, sign == 1, steps + 1
                counts = (table[mine] == t).sum(axis=0) if anew else counts + sign * (np.arange(len(t)) == j)
            if steps is not None: best = steps
    return best


def main():
    args = arguments(__doc__)
    (name, codes, y), rng = table(), np.random.default_rng(0)
    tests = rng.choice(len(codes), 1000, replace=False)
    rest = np.setdiff1d(np.arange(len(codes)), tests)
    clf = CertifiableNB().fit(codes[rest], y[rest])
    ours = clf.poison(codes[tests])
    sample = [i for i in np.flatnonzero(ours.n_cells > 0)][: 2 if args.quick else 20]
    mine, rows = seconds(lambda: clf.poison(codes[tests]), 3), []
    for anew in (True, False):
        found = []
        theirs = seconds(lambda: found.append([greedy(codes[rest], y[rest], codes[tests[i]], y.max() + 1, anew) for i in sample]), 1) / len(sample) * (ours.n_cells > 0).sum()
        assert all(a >= b for a, b in zip(found[0], ours.n_cells[sample]))
        rows.append({"table": name, "rows": len(rest), "test rows": 1000, "program": f"greedy, {'counting anew' if anew else 'counts kept'}, scaled up from {len(sample)}", "seconds": theirs, "ratio": theirs / mine})
    rows.append({"table": name, "rows": len(rest), "test rows": 1000, "program": "poison", "seconds": mine, "ratio": 1.0})
    for n in () if args.quick else (10_000, 100_000, 1_000_000):
        X, labels = codes_and_labels(n, 12, 3, seed=1, signal=0.3)
        big = CertifiableNB(alpha=0 if n < 10**6 else 1).fit(X, labels)
        rows.append({"table": "made up", "rows": n, "test rows": 10_000, "program": f"poison, alpha {big.alpha}", "seconds": seconds(lambda: big.poison(X[:10_000]), 1), "ratio": float("nan")})
    report("fewest blanked cells, per test row", rows, "poison", args.out)


if __name__ == "__main__": main()
