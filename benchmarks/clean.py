"""The order of a cleaning plan against a random order and against "the column with most holes
first".

usage: NBROBUST_DATA=folder python benchmarks/clean.py [--quick]
A fifth of the rows is held out (at most 1,000). Of the training table (at most 5,000 rows; numbers
in five bins) every fifth filled cell is punched out; the cells' true values are the answers;
alpha=1, domains as in the whole table. Counted are cells looked up until so many of those rows are
certain that are certain once everything is looked up, but were not before; "any order" is a proved
bound for every order, even one that sees what is in the holes. Means over three splits."""

from dataclasses import dataclass
from functools import cached_property

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from bench import arguments, found_sets, report
from nbrobust import CertifiableNB
from nbrobust.bayes.hindsight import hindsight_bound
from nbrobust.datasets import find, load
from nbrobust.tables.bins import NumericBinner

SETS = {"house_votes_84": {}, "adult": {"drop": ["split"], "bins": True}}
SHARES = (0.5, 0.8, 0.9, 1.0)
BATCH = 0.01  # of the holes, looked up at a time


@dataclass(frozen=True)
class Case:
    "A table with holes whose true values are known."
    whole: pd.DataFrame  # the training table, before cells were punched out
    labels: np.ndarray
    gone: np.ndarray     # (n, d) bool: the cells that were punched out
    asked: pd.DataFrame  # rows to certify

    @cached_property
    def domains(self):
        return {c: sorted(self.whole[c].dropna().unique(), key=str) for c in self.whole}

    def fit(self, table):
        return CertifiableNB(alpha=1, domains=self.domains).fit(table, self.labels)

    def holed(self): return self.whole.mask(self.gone)

    def was_punched(self, r, c): return self.gone[r, self.whole.columns.get_loc(c)]

    def answers(self, cells): return {(r, c): self.whole[c].iat[r] for r, c in cells}


def read(name, drop=(), bins=False):
    X, y = load(name, download=False)
    X = X.drop(columns=[c for c in drop if c in X])
    if bins:
        X = NumericBinner().fit_transform(X)
    return X, np.asarray(y)


def make_case(X, y, seed):
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(X))
    fifth = len(X) // 5
    asked, train = order[:fifth][:1000], order[fifth:][:5000]
    table = X.iloc[train].reset_index(drop=True)
    gone = (rng.random(table.shape) < 0.2) & table.notna().to_numpy()
    return Case(table, y[train], gone, X.iloc[asked])


# ---- orders: which k cells to look up next


def holes(plan):
    "All that can still be looked up: pairs (row position, column)."
    columns = plan.counts.columns
    return [(r, columns[j]) for (_, j), rows in plan.waiting.items() for r in rows]


def by_plan(plan, k):
    return plan.next(k)


def at_random(rng):
    "A function that goes through the holes in one random order."
    order = []

    def choose(plan, k):
        if not order:
            cells = np.array(holes(plan), dtype=object)
            order.extend(rng.permutation(cells).tolist())
        chosen = order[:k]
        del order[:k]
        return [(int(r), c) for r, c in chosen]

    return choose


def most_missing_first(plan, k):
    left = holes(plan)
    if not left: return []
    worst = pd.Series([c for _, c in left]).value_counts().index[0]
    return [cell for cell in left if cell[1] == worst][:k]


# ---- one split of one table


def curve(case, plan, choose, step):
    """Cells looked up, and who is certain then, until there is nothing left.

    Cells that were never filled are left alone."""
    never_filled = [cell for cell in holes(plan) if not case.was_punched(*cell)]
    plan.update({cell: None for cell in never_filled})
    points = []
    while True:
        points.append((plan.answered, plan.certain.copy()))
        cells = choose(plan, step)
        if not cells: return points
        plan.update(case.answers(cells))


def shares_of(points, goal, n_holes):
    "Cells looked up, and the share of the goal's rows that are certain then."
    shares = [(n, (certain & goal).sum() / goal.sum()) for n, certain in points]
    if shares[-1][1] < 1:  # what is left matters to no open row
        shares.append((n_holes, 1.0))
    return shares


def cells_until(shares):
    return {f"until {q:.0%}": next(n for n, done in shares if done >= q) for q in SHARES}


def least_cells(case, clf):
    "The proved bound for each share."
    before, after = clf.plan_cleaning(case.asked), clf.plan_cleaning(case.asked)
    punched = [cell for cell in holes(after) if case.was_punched(*cell)]
    after.update(case.answers(punched))
    return {f"until {q:.0%}": hindsight_bound(before, after, q, time_limit=30) for q in SHARES}


def run(name, seed):
    "Rows of the results, and for each order its curve."
    case = make_case(*read(name, **SETS[name]), seed)
    clf = case.fit(case.holed())
    before = clf.certify(case.asked).robust
    after = case.fit(case.whole).certify(case.asked).robust
    goal = after & ~before
    n_holes = int(case.gone.sum())
    step = max(1, int(n_holes * BATCH))
    about = {
        "table": name,
        "seed": seed,
        "training rows": len(case.whole),
        "holes": n_holes,
        "asked": len(case.asked),
        "certain before": before.mean(),
        "certain after all": after.mean(),
    }
    orders = {
        "plan": by_plan,
        "random order": at_random(np.random.default_rng(seed)),
        "most missing column first": most_missing_first,
    }
    rows, curves = [], {}
    for order, choose in orders.items():
        points = curve(case, clf.plan_cleaning(case.asked), choose, step)
        curves[order] = shares_of(points, goal, n_holes)
        rows.append({**about, "order": order, **cells_until(curves[order])})
    rows.append({**about, "order": "any order, at least", **least_cells(case, clf)})
    return rows, curves


# ---- all of them


def draw(ax, name, curves):
    for (order, shares), style in zip(curves.items(), ("-", "--", ":")):
        ax.plot(*zip(*shares), style, label=order)
    ax.set(title=name, xlabel="cells looked up", ylabel="of the rows that can become certain")
    ax.legend(frameon=False)


def means(rows):
    "Over the splits, and the cells as a part of those that a random order needs."
    frame = pd.DataFrame(rows).groupby(["table", "order"], sort=False).mean(numeric_only=True)
    frame = frame.drop(columns="seed").reset_index()
    for q in SHARES:
        cells = frame[f"until {q:.0%}"]
        by_chance = frame[frame["order"] == "random order"].set_index("table")[f"until {q:.0%}"]
        frame[f"plan's part at {q:.0%}"] = cells / frame["table"].map(by_chance)
    return frame.to_dict("records")


def main():
    args = arguments(__doc__)
    names = found_sets(SETS, lambda name: find(name) is not None)
    if args.quick:
        names = names[:1]
    figure = plt.figure(figsize=(9, 3.2), layout="constrained")
    axes = figure.subplots(1, len(SETS), squeeze=False)[0]
    rows = []
    for ax, name in zip(axes, names):
        for seed in range(1 if args.quick else 3):
            found, curves = run(name, seed)
            rows += found
            if seed == 0:
                draw(ax, name, curves)
    title = "cells looked up until a share of the open rows is certain"
    report(title, means(rows), "clean", args.out)
    if args.out:
        figure.savefig(args.out / "clean.png", dpi=110)


if __name__ == "__main__": main()
