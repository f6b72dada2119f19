"""Ours beside the program of GROOT's authors (groot-trees on PyPI), which runs in an environment of its own.

usage: NBROBUST_DATA=folder python benchmarks/peer_trees.py --peer-python PATH [--quick]
Depth 4, ε = 0.1, the tables and the folds (seed 0) of `nbrobust.experiments.trees`, scaled to [0, 1]. Each program fits in processes of its own, one thread, theirs and ours in turn.
Both send their trees as tests and leaves, and both are judged by the same exact attack. Without --peer-python it says how to get the other program.
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

PEER, PEER_CHEN, OURS, OURS_CHEN, OURS_PUBLISHED, OURS_GROWN = "groot-trees", "groot-trees, Chen", "nbrobust, default", "nbrobust, Chen", "nbrobust, paper's rounding", "nbrobust, not pruned"
PROGRAMS = PEER, OURS_PUBLISHED, OURS_GROWN, OURS, PEER_CHEN, OURS_CHEN
EPS, DEPTH, ROUNDS = 0.1, 4, 5
ONE_THREAD = {k: "1" for k in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")}
HOW = """The other program needs an environment of its own, as it does not import on NumPy 2:

    python3 -m venv groot && groot/bin/pip install 'numpy<2' groot-trees==0.0.17
    python benchmarks/peer_trees.py --peer-python groot/bin/python
"""


# ---- in a process of its own, under either interpreter: nothing but NumPy, and the program itself


def grow(program, X, y):
    "A fitted tree; importing the program is part of it."
    if program in (PEER, PEER_CHEN):
        from groot.model import GrootTreeClassifier
        return GrootTreeClassifier(max_depth=DEPTH, attack_model=[EPS] * X.shape[1], chen_heuristic=program == PEER_CHEN, random_state=0).fit(X, y)
    from nbrobust.trees.estimator import GrootTreeClassifier
    options = {OURS: {}, OURS_CHEN: dict(criterion="chen", prune=False), OURS_PUBLISHED: dict(rounding="paper", prune=False), OURS_GROWN: dict(prune=False)}[program]
    return GrootTreeClassifier(max_depth=DEPTH, attack_model=EPS, random_state=0, **options).fit(X, y)


def as_lists(t):
    "A tree as nested lists [feature, threshold, left, right]; a leaf is its class."
    if hasattr(t, "root_"): return _their_lists(t.root_.to_json())
    return _our_lists(t.tree_, 0)


def _their_lists(node):
    if "value" in node: return int(node["value"][1] > node["value"][0])
    return [int(node["feature"]), float(node["threshold"]), _their_lists(node["left_child"]), _their_lists(node["right_child"])]


def _our_lists(tree, node):
    if tree.feature[node] < 0: return int(tree.label[node])
    return [int(tree.feature[node]), float(tree.threshold[node]), _our_lists(tree, tree.left[node]), _our_lists(tree, tree.right[node])]


def high_water():
    "The most memory that this process ever had, in bytes; 0 where the system does not say."
    try: return next(int(line.split()[1]) for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")) * 1024
    except OSError: return 0


def timed(program, X, y):
    "A fitted tree, and CPU seconds."
    start = time.process_time()
    t = grow(program, X, y)
    return t, time.process_time() - start


def child(program, path):
    "Fit each training table in a file: CPU seconds and memory of the first fit with its import, then seconds warm, the trees, and what they predict."
    data = dict(np.load(path))
    n, before = len(data) // 3, high_water()
    _, cold = timed(program, data["X0"], data["y0"])
    out = {"cold": cold, "bytes": high_water() - before, "fits": []}
    for k in range(n):
        t, X, y = None, data[f"X{k}"], data[f"y{k}"]
        seconds = []
        for _ in range(ROUNDS):
            t, s = timed(program, X, y)
            seconds.append(s)
        out["fits"].append({"warm": float(np.median(seconds)), "tree": as_lists(t), "predicted": np.asarray(t.predict(data[f"T{k}"])).astype(int).tolist()})
    names = ("numpy", "scikit-learn", *(("groot-trees", "numba") if program.startswith(PEER) else ()))
    print(json.dumps({**out, "versions": {name: importlib.metadata.version(name) for name in names}}))


# ---- here


def call(program, path, peer_python):
    python = peer_python if program.startswith(PEER) else sys.executable
    done = subprocess.run([python, __file__, "--child", program, path], capture_output=True, text=True, env={**os.environ, **ONE_THREAD})
    if done.returncode: raise SystemExit(f"{program} under {python} failed:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def by_hand(lists): return tuple(by_hand(x) if isinstance(x, list) else x for x in lists) if isinstance(lists, list) else lists


def judge(fit, X, y):
    "Accuracy, adversarial accuracy, leaves of a tree in nested lists, and on how many rows its program's own prediction differs."
    from nbrobust.trees.adversary import adversarial_score
    from nbrobust.trees.tree import tree_by_hand
    tree = tree_by_hand(by_hand(fit["tree"]))
    label = tree.predict(X)
    return {"accuracy": float(np.mean(label == y)), "under attack": adversarial_score(tree, X, y, EPS), "leaves": int(tree.leaf.sum()), "predicted otherwise": int(np.sum(label != fit["predicted"]))}


def compare(name, peer_python, folder):
    "A row per program: means over five folds."
    from nbrobust.experiments.trees import folds
    parts, path = folds(name, 1, 0), f"{folder}/{name}.npz"
    np.savez(path, **{f"{k}{i}": v for i, (X, y, T, _) in enumerate(parts) for k, v in (("X", X), ("y", y), ("T", T))})
    rows = []
    for program in PROGRAMS:
        got = call(program, path, peer_python)
        judged = [judge(fit, X, y) for fit, (_, _, X, y) in zip(got["fits"], parts)]
        row = {"table": name, "rows": len(parts[0][0]), "columns": parts[0][0].shape[1], "program": program, "cold CPU s": got["cold"], "warm CPU ms": 1000 * np.mean([f["warm"] for f in got["fits"]]), "grown MB": got["bytes"] / 1e6}
        rows.append({**row, **{k: float(np.mean([j[k] for j in judged])) for k in ("accuracy", "under attack", "leaves")}, "predicted otherwise": sum(j["predicted otherwise"] for j in judged),
                     "versions": " ".join(f"{k} {v}" for k, v in got["versions"].items())})
    return rows


def summary(rows):
    "Per program: medians of times and memory, means of the rest."
    import pandas as pd
    frame = pd.DataFrame(rows)
    return [{"program": p, "tables": len(part), **{k: float(part[k].median()) for k in ("cold CPU s", "warm CPU ms", "grown MB")}, **{k: float(part[k].mean()) for k in ("accuracy", "under attack", "leaves")},
             "predicted otherwise": int(part["predicted otherwise"].sum()), "versions": part["versions"].iloc[0]} for p, part in frame.groupby("program", sort=False)]


def by_table(rows):
    "A row per table: accuracy under attack, program by program, and the times of theirs and of the same without pruning."
    tables = {}
    for r in rows:
        line = tables.setdefault(r["table"], {"table": r["table"], "training rows": r["rows"], "columns": r["columns"]})
        line[r["program"]] = r["under attack"]
    for r in rows:
        if r["program"] in (PEER, OURS_GROWN, OURS): tables[r["table"]][f"ms: {r['program']}"] = r["warm CPU ms"]
    return list(tables.values())


def main():
    from argparse import ArgumentParser
    from bench import HERE, report
    from nbrobust.datasets import find
    from nbrobust.experiments.trees import SETS
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--peer-python", metavar="PATH", help="a Python that can import groot (groot-trees)")
    parser.add_argument("--quick", action="store_true", help="the smallest tables; prints, but stores nothing")
    parser.add_argument("--out", type=Path, help="where to store the results (default: benchmarks/results)")
    args = parser.parse_args()
    if not args.peer_python: return print(HOW)
    sets = [s for s in SETS if s == "wdbc" or find(s)][:4 if args.quick else None]
    if absent := [s for s in SETS if s != "wdbc" and not find(s)]: print("not found in NBROBUST_DATA, left out:", ", ".join(absent))
    with tempfile.TemporaryDirectory() as folder: rows = [row for name in sets for row in compare(name, args.peer_python, folder)]
    out = args.out or (None if args.quick else HERE / "results")
    report("accuracy under attack, and CPU milliseconds of a warm fit", by_table(rows), "peer_trees", out)
    shown = summary(rows)
    report("groot-trees and ours", shown, "peer_trees_summary", out, [k for k in shown[0] if k != "versions"])
    print(*sorted({f"{r['program']}: {r['versions']}" for r in shown}), sep="\n")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]: child(*sys.argv[2:])
    else: main()
