"""Grow a robust tree in the time of an ordinary one: against scikit-learn's DecisionTreeClassifier, and growth in rows, columns and depth.

usage: python benchmarks/trees.py [--quick]
One thread each. Both get the same float64 table; ε = 0.03 on columns scaled to [0, 1]."""

import json
import statistics
import subprocess
import sys
import time

import numpy as np

from bench import alternate, arguments, peak_resident, report, seconds

EPS, DEPTH, D = 0.03, 4, 10
OURS, WHOLE, THEIRS = "robust tree, grown", "robust tree, pruned and refined", "scikit-learn"


def table(n, d=D):
    "A made-up table of two classes in [0, 1], some columns of which matter."
    from sklearn.datasets import make_classification
    X, y = make_classification(n_samples=n, n_features=d, n_informative=max(2, d // 2), n_redundant=d // 5, n_clusters_per_class=2, flip_y=0.05, random_state=0)
    return np.ascontiguousarray((X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0))), y


def program(name, X, y, depth=DEPTH):
    "The import counts too, where the program is the first to need it."
    def ours():
        from nbrobust.trees.grow import grow
        from nbrobust.trees.split import setting
        return grow(setting(X, y, EPS), max_depth=depth, random_state=0)
    def whole():
        from nbrobust.trees.estimator import GrootTreeClassifier
        return GrootTreeClassifier(max_depth=depth, attack_model=EPS, random_state=0).fit(X, y)
    def theirs():
        from sklearn.tree import DecisionTreeClassifier
        return DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y)
    return {OURS: ours, WHOLE: whole, THEIRS: theirs}[name]


def child(name, n):
    "In a fresh process: seconds of the first call with its import, and bytes by which the process grows."
    X, y = np.load(f"{sys.argv[4]}/X.npy"), np.load(f"{sys.argv[4]}/y.npy")
    X, y, start = X[:n], y[:n], time.perf_counter()
    used = peak_resident(program(name, X, y))
    print(json.dumps({"seconds": time.perf_counter() - start, "bytes": used}))


def first_call(name, n, folder):
    done = subprocess.run([sys.executable, __file__, name, str(n), "--child", folder], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def compare(n, rounds, folder):
    "A row per program: warm runs in turn in one process, and first calls in fresh ones."
    X, y = table(n)
    np.save(f"{folder}/X.npy", X)
    np.save(f"{folder}/y.npy", y)
    programs = {name: program(name, X, y) for name in (THEIRS, OURS, WHOLE)}
    firsts = {name: [] for name in programs}
    for _ in range(3):
        for name in programs: firsts[name].append(first_call(name, n, folder))
    times, base = alternate(programs, rounds), {}
    rows = []
    for name, (wall, cpu) in times.items():
        row = {"program": name, "rows": n, "columns": D, "depth": DEPTH, "seconds": statistics.median(wall), "CPU seconds": statistics.median(cpu),
               "first call s": statistics.median(f["seconds"] for f in firsts[name]), "resident / table": statistics.median(f["bytes"] for f in firsts[name]) / X.nbytes}
        base = base or row
        rows.append({**row, **{f"{k} ratio": row[k] / base[k] for k in ("seconds", "CPU seconds", "first call s")}})
    return rows


GROWTH = {"rows": (1000, 10_000, 100_000, 1_000_000), "columns": (5, 10, 20, 40), "depth": (1, 2, 4, 8, 12)}
QUICK = {"rows": (1000, 10_000), "columns": (5, 10), "depth": (2, 4)}


def grow_rows(grid, n, rounds):
    "One size grows, the others stay."
    rows = []
    for what, values in grid.items():
        for v in values:
            size = {"rows": n, "columns": D, "depth": DEPTH, what: v}
            X, y = table(size["rows"], size["columns"])
            rows.append({"growing": what, "to": v, **{name: seconds(program(name, X, y, size["depth"]), rounds) for name in (OURS, THEIRS)}})
    return rows


def draw(rows, n, path):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    fig, axes = plt.subplots(1, 3, figsize=(9, 3), sharey=True, layout="constrained")
    for ax, what in zip(axes, GROWTH):
        part = [r for r in rows if r["growing"] == what]
        for name, style in ((OURS, "o-"), (THEIRS, "s--")): ax.loglog([r["to"] for r in part], [r[name] for r in part], style, label=name)
        ax.set_xticks([r["to"] for r in part], [f"{r['to']:,}" for r in part])
        ax.minorticks_off()
        ax.set(xlabel=what)
        ax.set_title(", ".join(t for k, t in {"rows": f"{n:,} rows", "columns": f"{D} columns", "depth": f"depth {DEPTH}"}.items() if k != what), fontsize=7)
        ax.grid(alpha=0.3)
    axes[0].set_ylabel("seconds")
    axes[0].legend()
    fig.savefig(path, dpi=110, metadata={"Software": None})


def main():
    import tempfile
    args = arguments(__doc__)
    sizes, rounds, n = ((7000,), 5, 5000) if args.quick else ((7000, 100_000, 1_000_000), 5, 50_000)
    with tempfile.TemporaryDirectory() as folder: rows = [r for k in sizes for r in compare(k, 25 if k < 10_000 else rounds, folder)]
    report("a robust tree against an ordinary one, medians", rows, "trees", args.out)
    growth = grow_rows(QUICK if args.quick else GROWTH, n, 3)
    report("growth, seconds", growth, "trees_growth", args.out)
    if args.out: draw(growth, n, args.out / "trees_growth.png")


if __name__ == "__main__":
    if "--child" in sys.argv: child(sys.argv[1], int(sys.argv[2]))
    else: main()
