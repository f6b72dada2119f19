"""Ours beside the program of GROOT's authors (groot-trees on PyPI), which runs in an environment
of its own.

usage: NBROBUST_DATA=folder python benchmarks/peer_trees.py --peer-python PATH [--quick]
Depth 4, ε = 0.1, the tables and the folds (seed 0) of `nbrobust.experiments.trees`, columns scaled
to [0, 1]. Each program fits in processes of its own, one thread, theirs and ours in turn. Both
send their trees as tests and leaves, and both are judged by the same exact attack. Without
--peer-python it says how to get the other program.
--quick: the smallest tables only."""

import importlib.metadata
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

PEER, PEER_CHEN = "groot-trees", "groot-trees, Chen"
OURS, OURS_CHEN = "nbrobust, default", "nbrobust, Chen"
OURS_PUBLISHED, OURS_GROWN = "nbrobust, paper's rounding", "nbrobust, not pruned"
PROGRAMS = {  # options of the two classes, both called GrootTreeClassifier
    PEER: dict(chen_heuristic=False),
    OURS_PUBLISHED: dict(rounding="paper", prune=False),
    OURS_GROWN: dict(prune=False),
    OURS: {},
    PEER_CHEN: dict(chen_heuristic=True),
    OURS_CHEN: dict(criterion="chen", prune=False),
}
EPS, DEPTH, ROUNDS = 0.1, 4, 5
TIMES = ["cold CPU s", "warm CPU ms", "grown MB"]
SCORES = ["accuracy", "under attack", "leaves"]
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
HOW = """The other program needs an environment of its own, as it does not import on NumPy 2:

    python3 -m venv groot && groot/bin/pip install 'numpy<2' groot-trees==0.0.17
    python benchmarks/peer_trees.py --peer-python groot/bin/python
"""


def is_peer(program): return program.startswith(PEER)


# ---- in a process of its own, under either interpreter: nothing but NumPy, and the program itself


def grow(program, X, y):
    "A fitted tree; importing the program is part of it."
    if is_peer(program):
        from groot.model import GrootTreeClassifier
        attack_model = [EPS] * X.shape[1]
    else:
        from nbrobust.trees.estimator import GrootTreeClassifier
        attack_model = EPS
    options = dict(max_depth=DEPTH, attack_model=attack_model, random_state=0, **PROGRAMS[program])
    return GrootTreeClassifier(**options).fit(X, y)


def as_lists(t):
    "A tree as nested lists [feature, threshold, left, right]; a leaf is its class."
    if hasattr(t, "root_"): return their_lists(t.root_.to_json())
    return our_lists(t.tree_, 0)


def their_lists(node):
    if "value" in node: return int(node["value"][1] > node["value"][0])
    left, right = their_lists(node["left_child"]), their_lists(node["right_child"])
    return [int(node["feature"]), float(node["threshold"]), left, right]


def our_lists(tree, node):
    if tree.feature[node] < 0: return int(tree.label[node])
    left, right = our_lists(tree, tree.left[node]), our_lists(tree, tree.right[node])
    return [int(tree.feature[node]), float(tree.threshold[node]), left, right]


def high_water():
    "The most memory that this process ever had, in bytes; 0 where the system does not say."
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return 0
    mark = next(line for line in lines if line.startswith("VmHWM"))
    return int(mark.split()[1]) * 1024


def timed(program, X, y):
    "A fitted tree, and CPU seconds."
    start = time.process_time()
    t = grow(program, X, y)
    return t, time.process_time() - start


def fit_warm(program, X, y, T):
    "Median CPU seconds, the tree, and what it predicts for T."
    seconds = []
    for _ in range(ROUNDS):
        t, s = timed(program, X, y)
        seconds.append(s)
    predicted = np.asarray(t.predict(T)).astype(int)
    return {"warm": float(np.median(seconds)), "tree": as_lists(t), "predicted": predicted.tolist()}


def child(program, path):
    "Fit the training tables in a file: the first of them cold, with import and memory; then all warm."
    data = dict(np.load(path))
    before = high_water()
    _, cold = timed(program, data["X0"], data["y0"])
    grown = high_water() - before
    n = len(data) // 3
    fits = [fit_warm(program, data[f"X{k}"], data[f"y{k}"], data[f"T{k}"]) for k in range(n)]
    packages = ["numpy", "scikit-learn"]
    if is_peer(program):
        packages += ["groot-trees", "numba"]
    versions = {name: importlib.metadata.version(name) for name in packages}
    print(json.dumps({"cold": cold, "bytes": grown, "fits": fits, "versions": versions}))


# ---- here


def call(program, path, peer_python):
    python = peer_python if is_peer(program) else sys.executable
    one_thread = {name: "1" for name in THREADS}
    command = [python, __file__, "--child", program, path]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **one_thread})
    if done.returncode: raise SystemExit(f"{program} under {python} failed:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def as_tuples(node):
    "Nested lists as `tree_by_hand` takes them."
    return tuple(map(as_tuples, node)) if isinstance(node, list) else node


def judge(fit, X, y):
    "Of a tree in nested lists, which may predict otherwise than its own program said."
    from nbrobust.trees.adversary import adversarial_score
    from nbrobust.trees.tree import tree_by_hand
    tree = tree_by_hand(as_tuples(fit["tree"]))
    label = tree.predict(X)
    return {
        "accuracy": float(np.mean(label == y)),
        "under attack": adversarial_score(tree, X, y, EPS),
        "leaves": int(tree.leaf.sum()),
        "predicted otherwise": int(np.sum(label != fit["predicted"])),
    }


def save_folds(parts, path):
    "The training tables and the test rows, in a file that both programs can read."
    arrays = {}
    for i, (X, y, T, _) in enumerate(parts):
        arrays.update({f"X{i}": X, f"y{i}": y, f"T{i}": T})
    np.savez(path, **arrays)


def compare(name, peer_python, folder):
    "A row per program: means over five folds."
    from nbrobust.experiments.trees import folds
    parts = folds(name, 1, 0)
    path = f"{folder}/{name}.npz"
    save_folds(parts, path)
    n, d = parts[0][0].shape
    rows = []
    for program in PROGRAMS:
        got = call(program, path, peer_python)
        judged = [judge(fit, X, y) for fit, (_, _, X, y) in zip(got["fits"], parts)]
        versions = [f"{package} {version}" for package, version in got["versions"].items()]
        warm = np.mean([fit["warm"] for fit in got["fits"]])
        rows.append({
            "table": name,
            "rows": n,
            "columns": d,
            "program": program,
            "cold CPU s": got["cold"],
            "warm CPU ms": 1000 * warm,
            "grown MB": got["bytes"] / 1e6,
            **{what: float(np.mean([fold[what] for fold in judged])) for what in SCORES},
            "predicted otherwise": sum(fold["predicted otherwise"] for fold in judged),
            "versions": " ".join(versions),
        })
    return rows


def summary(rows):
    "Per program: medians of times and memory, means of the rest."
    import pandas as pd
    lines = []
    for program, part in pd.DataFrame(rows).groupby("program", sort=False):
        lines.append({
            "program": program,
            "tables": len(part),
            **part[TIMES].median(),
            **part[SCORES].mean(),
            "predicted otherwise": int(part["predicted otherwise"].sum()),
            "versions": part["versions"].iloc[0],
        })
    return lines


def by_table(rows):
    "A row per table: accuracy under attack, program by program, and then times of some of them."
    tables = {}
    for row in rows:
        about = {"table": row["table"], "training rows": row["rows"], "columns": row["columns"]}
        line = tables.setdefault(row["table"], about)
        line[row["program"]] = row["under attack"]
    for row in rows:
        if row["program"] in (PEER, OURS_GROWN, OURS):
            tables[row["table"]][f"ms: {row['program']}"] = row["warm CPU ms"]
    return list(tables.values())


def main():
    from bench import arguments, found_sets, report
    from nbrobust.datasets import find
    from nbrobust.experiments.trees import SETS
    args = arguments(__doc__, quick="the smallest tables; prints, but stores nothing",
                     peer_python="a Python that can import groot (groot-trees)")
    if not args.peer_python: return print(HOW)
    sets = found_sets(SETS, lambda name: name == "wdbc" or find(name))
    if args.quick:
        sets = sets[:4]
    with tempfile.TemporaryDirectory() as folder:
        rows = [row for name in sets for row in compare(name, args.peer_python, folder)]
    title = "accuracy under attack, and CPU milliseconds of a warm fit"
    report(title, by_table(rows), "peer_trees", args.out)
    lines = summary(rows)
    shown = [column for column in lines[0] if column != "versions"]
    report("groot-trees and ours", lines, "peer_trees_summary", args.out, shown)
    print(*sorted(f"{line['program']}: {line['versions']}" for line in lines), sep="\n")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(*sys.argv[2:])
    else:
        main()
