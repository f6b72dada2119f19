"""Adversarial accuracy of a whole table at once, against a Python loop over rows and leaves; and what the adversarial examples and certificates cost.

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


def table(n):
    "A made-up table of two classes in [0, 1]."
    X, y = make_classification(n_samples=n, n_features=D, n_informative=5, n_redundant=2, n_clusters_per_class=2, flip_y=0.05, random_state=0)
    return (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0)), y


def loop(tree, X, y):
    "The paper's definition, word by word: for each row, loop over all leaves; is one of another label in reach?"
    boxes, labels, wrong = node_boxes(tree), node_labels(tree).tolist(), 0
    leaves = [([(f, a, b) for f, (a, b) in boxes[i].items()], labels[i]) for i in np.flatnonzero(tree.leaf)]
    for row, label in zip(X.tolist(), y.tolist()):
        for box, leaf_label in leaves:
            if leaf_label != label and all(row[f] - EPS <= last and row[f] + EPS >= first for f, first, last in box):
                wrong += 1
                break
    return 1 - wrong / len(y)


def main():
    args, rows = arguments(__doc__), []
    sizes = (3000, 30_000) if args.quick else (30_000, 300_000, 1_000_000)
    X, y = table(sizes[-1])
    trees = {"robust, depth 4": grow(setting(X[:20_000], y[:20_000], EPS), max_depth=4, random_state=0),
             "scikit-learn, depth 4": from_sklearn(DecisionTreeClassifier(max_depth=4, random_state=0).fit(X[:20_000], y[:20_000])),
             "scikit-learn, no limit": from_sklearn(DecisionTreeClassifier(random_state=0).fit(X[:20_000], y[:20_000]))}
    for name, tree in trees.items():
        for n in sizes:
            ours, few = seconds(lambda: adversarial_score(tree, X[:n], y[:n], EPS), 5), min(n, max(300, 3_000_000 // int(tree.leaf.sum())))
            theirs = seconds(lambda: loop(tree, X[:few], y[:few]), 1) * n / few
            assert loop(tree, X[:3000], y[:3000]) == adversarial_score(tree, X[:3000], y[:3000], EPS)
            some = min(n, 30_000)
            rows.append({"tree": name, "leaves": int(tree.leaf.sum()), "rows": n, "adversarial accuracy": adversarial_score(tree, X[:n], y[:n], EPS), "seconds": ours, "loop, seconds": theirs,
                         "loop timed on": few, "ratio": theirs / ours, "attack, µs a row": seconds(lambda: attack(tree, X[:some], y[:some], EPS), 1) / some * 1e6,
                         "certify, µs a row": seconds(lambda: certify_tree(tree, X[:some], EPS), 1) / some * 1e6})
    report("adversarial accuracy of a table, and a loop over rows and leaves", rows, "adversary", args.out)


if __name__ == "__main__": main()
