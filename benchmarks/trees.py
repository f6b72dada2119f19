"""Grow a robust tree in the time of an ordinary one: against scikit-learn's
DecisionTreeClassifier, and growth in rows, columns and depth.

usage: python benchmarks/trees.py [--quick]
One thread each. Both get the same float64 table; ε = 0.03 on columns scaled to [0, 1]."""

import json
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

from bench import alternate, arguments, peak_resident, report, seconds

EPS, DEPTH, D = 0.03, 4, 10
OURS, WHOLE, THEIRS = "robust tree, grown", "robust tree, pruned and refined", "scikit-learn"
GROWTH = {
    "rows": (1000, 10_000, 100_000, 1_000_000),
    "columns": (5, 10, 20, 40),
    "depth": (1, 2, 4, 8, 12),
}
QUICK = {"rows": (1000, 10_000), "columns": (5, 10), "depth": (2, 4)}


def table(n, d=D):
    "A made-up table of two classes in [0, 1], some columns of which matter."
    from sklearn.datasets import make_classification
    informative = max(2, d // 2)
    X, y = make_classification(n_samples=n, n_features=d, n_informative=informative, n_redundant=d // 5,
                               n_clusters_per_class=2, flip_y=0.05, random_state=0)
    scaled = (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0))
    return np.ascontiguousarray(scaled), y


# ---- the programs: the import counts too, where a program is the first to need it


def grow_ours(X, y, depth):
    from nbrobust.trees.grow import grow
    from nbrobust.trees.setting import setting
    return grow(setting(X, y, EPS), max_depth=depth, random_state=0)


def fit_ours(X, y, depth):
    from nbrobust.trees.estimator import GrootTreeClassifier
    return GrootTreeClassifier(max_depth=depth, attack_model=EPS, random_state=0).fit(X, y)


def fit_theirs(X, y, depth):
    from sklearn.tree import DecisionTreeClassifier
    return DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y)


PROGRAMS = {THEIRS: fit_theirs, OURS: grow_ours, WHOLE: fit_ours}


def program(name, X, y, depth=DEPTH):
    return lambda: PROGRAMS[name](X, y, depth)


# ---- first calls in fresh processes, warm calls in turn


def child(name, n, folder):
    "In a fresh process: seconds of the first call with its import, and bytes that it takes."
    X = np.load(f"{folder}/X.npy")[:n]
    y = np.load(f"{folder}/y.npy")[:n]
    start = time.perf_counter()
    grown = peak_resident(program(name, X, y))
    print(json.dumps({"seconds": time.perf_counter() - start, "bytes": grown}))


def first_call(name, n, folder):
    command = [sys.executable, __file__, "--child", name, str(n), folder]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def first_calls(n, folder):
    "Name → medians of three: seconds and bytes."
    runs = {name: [] for name in PROGRAMS}
    for _ in range(3):
        for name in PROGRAMS:
            runs[name].append(first_call(name, n, folder))
    medians = {}
    for name, calls in runs.items():
        taken = statistics.median(call["seconds"] for call in calls)
        grown = statistics.median(call["bytes"] for call in calls)
        medians[name] = {"seconds": taken, "bytes": grown}
    return medians


def compare(n, rounds, folder):
    "A row per program: warm runs in turn in one process, and first calls in fresh ones."
    X, y = table(n)
    np.save(f"{folder}/X.npy", X)
    np.save(f"{folder}/y.npy", y)
    firsts = first_calls(n, folder)
    times = alternate({name: program(name, X, y) for name in PROGRAMS}, rounds)
    rows = []
    for name, (wall, cpu) in times.items():
        rows.append({
            "program": name,
            "rows": n,
            "columns": D,
            "depth": DEPTH,
            "seconds": statistics.median(wall),
            "CPU seconds": statistics.median(cpu),
            "first call s": firsts[name]["seconds"],
            "resident / table": firsts[name]["bytes"] / X.nbytes,
        })
    for row in rows:
        for what in ("seconds", "CPU seconds", "first call s"):
            row[f"{what} ratio"] = row[what] / rows[0][what]
    return rows


# ---- growth


def grow_rows(grid, n, rounds):
    "One size grows, the others stay."
    rows = []
    for what, values in grid.items():
        for value in values:
            size = {"rows": n, "columns": D, "depth": DEPTH, what: value}
            X, y = table(size["rows"], size["columns"])
            row = {"growing": what, "to": value}
            for name in (OURS, THEIRS):
                row[name] = seconds(program(name, X, y, size["depth"]), rounds)
            rows.append(row)
    return rows


def draw(rows, n, path):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    fig, axes = plt.subplots(1, 3, figsize=(9, 3), sharey=True, layout="constrained")
    sizes = {"rows": f"{n:,} rows", "columns": f"{D} columns", "depth": f"depth {DEPTH}"}
    for ax, what in zip(axes, GROWTH):
        part = [row for row in rows if row["growing"] == what]
        values = [row["to"] for row in part]
        for name, style in ((OURS, "o-"), (THEIRS, "s--")):
            ax.loglog(values, [row[name] for row in part], style, label=name)
        ax.set_xticks(values, [f"{value:,}" for value in values])
        ax.minorticks_off()
        ax.set(xlabel=what)
        ax.set_title(", ".join(text for name, text in sizes.items() if name != what), fontsize=7)
        ax.grid(alpha=0.3)
    axes[0].set_ylabel("seconds")
    axes[0].legend()
    fig.savefig(path, dpi=110, metadata={"Software": None})


def main():
    args = arguments(__doc__)
    sizes, n, grid = (7000, 100_000, 1_000_000), 50_000, GROWTH
    if args.quick:
        sizes, n, grid = (7000,), 5000, QUICK
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes:
            rounds = 25 if size < 10_000 else 5
            rows += compare(size, rounds, folder)
    report("a robust tree against an ordinary one, medians", rows, "trees", args.out)
    growth = grow_rows(grid, n, rounds=3)
    report("growth, seconds", growth, "trees_growth", args.out)
    if args.out:
        draw(growth, n, args.out / "trees_growth.png")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2], int(sys.argv[3]), sys.argv[4])
    else:
        main()
