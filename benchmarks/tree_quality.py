"""Accuracy under attack of robust trees on thirteen tables, beside what is possible at all.

usage: NBROBUST_DATA=folder python benchmarks/tree_quality.py [--quick]
Depth 4, moves of at most 0.1 in each column; numerical columns only, rows with missing cells left
out, scaled to [0, 1] on all rows; class 1 is the rarer one (wine_quality: 6 and better against the
rest). Means over StratifiedKFold(5, shuffle=True) with random_state 0 … 4. wdbc is scikit-learn's
breast_cancer.
--quick: one seed, without wine_quality."""

import numpy as np
import pandas as pd
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from bench import arguments, found_sets, report
from nbrobust.datasets import KNOWN, find
from nbrobust.trees.adversary import adversarial_score
from nbrobust.trees.estimator import GrootTreeClassifier
from nbrobust.trees.grow import grow
from nbrobust.trees.optimal import optimal_tree
from nbrobust.trees.prune import prune
from nbrobust.trees.refine import refine
from nbrobust.trees.setting import setting

EPS, DEPTH, FOLDS = 0.1, 4, 5
GROOT = {  # table → under attack: groot-trees 0.0.17, its fault with y' = 0 mended, seed 0
    "wdbc": 0.7346,
    "haberman": 0.7255,
    "diabetes_pima": 0.6419,
    "breast_w": 0.9253,
    "ionosphere": 0.8235,
    "sonar": 0.5386,
    "spectf": 0.7106,
    "wine_quality": 0.6301,
    "banknote_authentication": 0.6232,
    "blood_transfusion": 0.758,
    "parkinsons": 0.7692,
    "climate_model_crashes": 0.8963,
    "planning_relax": 0.7144,
}
MENDED = "groot-trees mended, seed 0"
DROP = ["split", "ID", "id", "name", "colour", "color"]
WAYS = {  # what is compared: options of GrootTreeClassifier; None: scikit-learn's tree
    "scikit-learn": None,
    "as grown, paper's rounding": dict(prune=False, rounding="paper"),
    "as grown, exact": dict(prune=False, rounding="exact"),
    "as grown, real-valued": dict(prune=False),
    "as grown, Chen": dict(prune=False, criterion="chen"),
    "price 0": dict(leaf_price=0),
    "default": {},
    "default, paper's rounding": dict(rounding="paper"),
    "default, exact": dict(rounding="exact"),
    "default, Chen": dict(criterion="chen"),
    "default, natural Gini": dict(criterion="gini"),
}
QUICK_WAYS = ["scikit-learn", "as grown, real-valued", "default"]


# ---- tables


def is_there(name):
    return name == "wdbc" or find(name) is not None


def read_csv(name):
    "Numbers and labels of a table in NBROBUST_DATA."
    table = pd.read_csv(find(name))
    table = table.drop(columns=[c for c in DROP if c in table]).dropna()
    y = table.pop(KNOWN[name].target).to_numpy()
    X = table.select_dtypes("number").to_numpy(dtype=float)
    return X, y >= 6 if name == "wine_quality" else y


def read(name):
    "Numbers in [0, 1] and classes 0 and 1."
    X, y = load_breast_cancer(return_X_y=True) if name == "wdbc" else read_csv(name)
    labels, counts = np.unique(y, return_counts=True)
    rarer = labels[counts.argmin()]
    span = np.ptp(X, axis=0)
    return (X - X.min(axis=0)) / np.where(span > 0, span, 1), (y == rarer).astype(int)


def folds(X, y, seeds):
    "Seed, training rows, test rows."
    for seed in seeds:
        splitter = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
        for train, test in splitter.split(X, y):
            yield seed, train, test


# ---- one table


def ceiling(X, y, reach):
    """The share that no classifier can exceed.

    Of two rows of different classes within reach of each other one is lost: a maximum matching."""
    near = np.ones((np.sum(y == 0), np.sum(y == 1)), dtype=bool)
    for x in X.T:
        apart = np.abs(x[y == 0][:, None] - x[y == 1])
        near &= apart <= reach + 1e-9
    matched = maximum_bipartite_matching(csr_array(near)) >= 0
    return 1 - matched.sum() / len(y)


def fit(way, X, y, seed, one_class):
    options = WAYS[way]
    if options is None:
        return DecisionTreeClassifier(max_depth=DEPTH, random_state=seed).fit(X, y)
    tree = GrootTreeClassifier(max_depth=DEPTH, attack_model=EPS, one_adversarial_class=one_class,
                               random_state=seed, **options)
    return tree.fit(X, y)


def score(tree, X, y, one_class):
    "Accuracy, accuracy under attack, leaves, and the ceiling of the test rows."
    attacked = adversarial_score(tree, X, y, EPS, adversarial_class=1 if one_class else None)
    reach = EPS if one_class else 2 * EPS
    return tree.score(X, y), attacked, tree.get_n_leaves(), ceiling(X, y, reach)


def evaluate(name, way, seeds, one_class):
    "Means over folds and seeds: a row of the results."
    X, y = read(name)
    scores = []
    for seed, train, test in folds(X, y, seeds):
        tree = fit(way, X[train], y[train], seed, one_class)
        scores.append(score(tree, X[test], y[test], one_class))
    accuracy, attacked, leaves, best = np.mean(scores, axis=0)
    per_seed = np.array(scores)[:, 1].reshape(len(seeds), FOLDS).mean(axis=1)
    majority = 1 - y.mean()
    room = best - majority
    return {
        "table": name,
        "rows": len(y),
        "columns": X.shape[1],
        "way": way,
        "majority": majority,
        "accuracy": accuracy,
        "under attack": attacked,
        "sd over seeds": per_seed.std(),
        "fold ceiling": best,
        "skill": (attacked - majority) / room if room > 0.05 else np.nan,
        MENDED: np.nan if one_class else GROOT[name],
        "leaves": leaves,
    }


def against_optimal(name):
    "Training rows lost by trees of two levels."
    X, y = read(name)
    s = setting(X, y, EPS)
    grown = grow(s, max_depth=2, random_state=0)
    refined = refine(grown, s, leaf_price=0, blur=(1.0,))
    trees = {"greedy": grown, "pruned": prune(grown, s), "refined": refined}
    row = {"table": name, "rows": len(y), "majority": int(y.sum())}
    for way, tree in trees.items():
        lost = (1 - adversarial_score(tree, X, y, EPS)) * len(y)
        row[way] = round(lost)
    best = optimal_tree(s, refined, time_limit=300)
    return {**row, "optimal": int(best.lost), "no tree below": int(best.lower_bound)}


# ---- all of them


def summary(rows):
    "Per way: mean skill where it means something, means over all tables, and the worst table."
    frame = pd.DataFrame(rows)
    frame["over majority"] = frame["under attack"] - frame["majority"]
    lines = []
    for way, part in frame.groupby("way", sort=False):
        worst = part["over majority"].argmin()
        lines.append({
            "way": way,
            "tables": len(part),
            "mean skill": part["skill"].mean(),
            "accuracy": part["accuracy"].mean(),
            "under attack": part["under attack"].mean(),
            "leaves": part["leaves"].mean(),
            "worst against majority": round(part["over majority"].min(), 4),
            "its table": part["table"].iloc[worst],
        })
    return lines


def compare_ways(sets, ways, seeds, one_class, out):
    "Two tables of results: the default, table by table; and the means of all ways."
    title = "only the rarer class moves" if one_class else "both classes move"
    stem = "tree_quality_one_class" if one_class else "tree_quality"
    rows = [evaluate(name, way, seeds, one_class) for name in sets for way in ways]
    frame = pd.DataFrame(rows)
    default = frame[frame["way"] == "default"]
    if one_class:
        default = default.drop(columns=MENDED)
    shown = [c for c in default if c != "way"]
    report(f"{title}: the default, table by table", default.to_dict("records"), stem, out, shown)
    report(f"{title}: ways compared", summary(rows), f"{stem}_ways", out)


def main():
    args = arguments(__doc__)
    sets = found_sets(GROOT, is_there)
    ways, seeds = WAYS, range(5)
    if args.quick:
        sets = [name for name in sets if name != "wine_quality"]
        ways, seeds = QUICK_WAYS, range(1)
    for one_class in (False, True):
        compare_ways(sets, ways, seeds, one_class, args.out)
    small = [name for name in sets if len(read(name)[1]) < 2000]
    two_levels = [against_optimal(name) for name in small]
    report("training rows lost by trees of two levels", two_levels, "tree_optimal", args.out)


if __name__ == "__main__": main()
