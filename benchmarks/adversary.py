"""Adversarial accuracy of a whole table at once, against a Python loop over rows and leaves; and
what the adversarial examples and certificates cost.

usage: python benchmarks/adversary.py [--quick]
A robust tree of depth 4 and a natural one of scikit-learn, 10 columns scaled to [0, 1], ε = 0.03."""

import numpy as np
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

from bench import arguments, report, seconds
from nbrobust.trees.adversary import adversarial_score, attack, certify_tree
from nbrobust.trees.grow import grow
from nbrobust.trees.reach import node_boxes
from nbrobust.trees.reading import from_sklearn
from nbrobust.trees.setting import setting
from nbrobust.trees.tree import node_labels

EPS, D = 0.03, 10
TRAIN = 20_000          # rows that the trees grow from
SOME = 30_000           # rows to attack and to certify, at most
COMPARED = 3000         # rows on which both must give the same number
LOOP_STEPS = 3_000_000  # rows times leaves that the loop is timed on, about


def table(n):
    "A made-up table of two classes in [0, 1]."
    X, y = make_classification(n_samples=n, n_features=D, n_informative=5, n_redundant=2,
                               n_clusters_per_class=2, flip_y=0.05, random_state=0)
    return (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0)), y


def loop(tree, X, y):
    "The paper's definition, word by word: row by row, is a leaf of another label in reach?"
    boxes = node_boxes(tree)
    labels = node_labels(tree).tolist()
    leaves = []
    for i in np.flatnonzero(tree.leaf):
        box = [(f, first, last) for f, (first, last) in boxes[i].items()]
        leaves.append((box, labels[i]))
    wrong = 0
    for x, label in zip(X.tolist(), y.tolist()):
        for box, leaf_label in leaves:
            if leaf_label == label: continue
            if all(x[f] - EPS <= last and x[f] + EPS >= first for f, first, last in box):
                wrong += 1
                break
    return 1 - wrong / len(y)


def grown_trees(X, y):
    "A robust tree and two natural ones."
    shallow = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y)
    deep = DecisionTreeClassifier(random_state=0).fit(X, y)
    return {
        "robust, depth 4": grow(setting(X, y, EPS), max_depth=4, random_state=0),
        "scikit-learn, depth 4": from_sklearn(shallow),
        "scikit-learn, no limit": from_sklearn(deep),
    }


def measure(name, tree, X, y):
    "One tree, one table: a row of the results."
    n, leaves = len(y), int(tree.leaf.sum())
    first, labels = X[:COMPARED], y[:COMPARED]
    assert loop(tree, first, labels) == adversarial_score(tree, first, labels, EPS)
    few = min(n, max(300, LOOP_STEPS // leaves))
    some = min(n, SOME)
    ours = seconds(lambda: adversarial_score(tree, X, y, EPS), 5)
    theirs = seconds(lambda: loop(tree, X[:few], y[:few]), 1) * n / few
    attacking = seconds(lambda: attack(tree, X[:some], y[:some], EPS), 1)
    certifying = seconds(lambda: certify_tree(tree, X[:some], EPS), 1)
    return {
        "tree": name,
        "leaves": leaves,
        "rows": n,
        "adversarial accuracy": adversarial_score(tree, X, y, EPS),
        "seconds": ours,
        "loop, seconds": theirs,
        "loop timed on": few,
        "ratio": theirs / ours,
        "attack, µs a row": attacking / some * 1e6,
        "certify, µs a row": certifying / some * 1e6,
    }


def main():
    args = arguments(__doc__)
    sizes = (3000, 30_000) if args.quick else (30_000, 300_000, 1_000_000)
    X, y = table(sizes[-1])
    trees = grown_trees(X[:TRAIN], y[:TRAIN])
    rows = [measure(name, tree, X[:n], y[:n]) for name, tree in trees.items() for n in sizes]
    title = "adversarial accuracy of a table, and a loop over rows and leaves"
    report(title, rows, "adversary", args.out)


if __name__ == "__main__": main()
