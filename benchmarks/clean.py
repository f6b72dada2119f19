"""The order of a cleaning plan against a random order and against "the column with most holes first".

usage: NBROBUST_DATA=folder python benchmarks/clean.py [--quick]
A fifth of the rows is held out (at most 1,000). Of the training table (at most 5,000 rows; numbers in five bins) every fifth filled cell is punched out; the cells'
true values are the answers. alpha = 1, domains as in the whole table. Counted are cells looked up until so many of those rows are certain that are certain once
everything is looked up, but were not before; "any order" is a proved bound for every order, even one that sees what is in the holes. Means over three splits."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from bench import HERE, arguments, report
from nbrobust import CertifiableNB
from nbrobust.bayes.hindsight import hindsight_bound
from nbrobust.tables.bins import NumericBinner
from nbrobust.datasets import find, load

SETS = {"house_votes_84": {}, "adult": {"drop": ["split"], "bins": True}}
SHARES = (0.5, 0.8, 0.9, 1.0)


def read(name, drop=(), bins=False):
    X, y = load(name, download=False)
    X = X.drop(columns=[c for c in drop if c in X])
    return (NumericBinner().fit_transform(X) if bins else X), np.asarray(y)


def split(X, y, seed):
    "Training table and labels, which of its filled cells are punched out, and rows to certify."
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(X))
    asked, train = order[: len(X) // 5][:1000], order[len(X) // 5 :][:5000]
    table = X.iloc[train].reset_index(drop=True)
    return table, y[train], (rng.random(table.shape) < 0.2) & table.notna().to_numpy(), X.iloc[asked]


def holes(plan): return [(r, plan.counts.columns[j]) for (_, j), cells in plan.waiting.items() for r in cells]


def at_random(rng):
    order = []
    def choose(plan, k):
        if not order: order.extend(rng.permutation(np.array(holes(plan), dtype=object)).tolist())
        chosen, order[:] = order[:k], order[k:]
        return [(int(r), c) for r, c in chosen]
    return choose


def most_missing_first(plan, k):
    left = holes(plan)
    if not left: return []
    worst = pd.Series([c for _, c in left]).value_counts().index[0]
    return [cell for cell in left if cell[1] == worst][:k]


def curve(clf, table, gone, asked, choose, step):
    "Cells looked up, and who is certain then, until there is nothing left; cells that were never filled are left alone."
    plan, result = clf.plan_cleaning(asked), []
    plan.update({(r, c): None for r, c in holes(plan) if not gone[r, table.columns.get_loc(c)]})
    while True:
        result.append((plan.answered, plan.certain.copy()))
        cells = choose(plan, step)
        if not cells: return result
        plan.update({(r, c): table[c].iat[r] for r, c in cells})


def run(name, seed, step_share=0.01):
    X, y = read(name, **SETS[name])
    table, labels, gone, asked = split(X, y, seed)
    domains = {c: sorted(table[c].dropna().unique(), key=str) for c in table}
    fit = lambda T: CertifiableNB(alpha=1, domains=domains).fit(T, labels)
    clf, before, after = fit(table.mask(gone)), fit(table.mask(gone)).certify(asked).robust, fit(table).certify(asked).robust
    goal, step = after & ~before, max(1, int(gone.sum() * step_share))
    rows, curves = [], {}
    about = {"table": name, "seed": seed, "training rows": len(table), "holes": int(gone.sum()), "asked": len(asked), "certain before": before.mean(), "certain after all": after.mean()}
    plans = [clf.plan_cleaning(asked) for _ in range(2)]
    plans[1].update({(r, c): table[c].iat[r] for r, c in holes(plans[1]) if gone[r, table.columns.get_loc(c)]})
    for order, choose in (("plan", lambda plan, k: plan.next(k)), ("random order", at_random(np.random.default_rng(seed))), ("most missing column first", most_missing_first)):
        points = [(n, (certain & goal).sum() / goal.sum()) for n, certain in curve(clf, table, gone, asked, choose, step)]
        if points[-1][1] < 1: points.append((int(gone.sum()), 1.0))  # what is left matters to no open row
        curves[order] = points
        rows.append({**about, "order": order, **{f"until {q:.0%}": next(n for n, done in points if done >= q) for q in SHARES}})
    rows.append({**about, "order": "any order, at least", **{f"until {q:.0%}": hindsight_bound(*plans, q, time_limit=30) for q in SHARES}})
    return rows, curves


def main():
    args = arguments(__doc__)
    names = [name for name in SETS if find(name) is not None]
    if absent := [name for name in SETS if name not in names]: print("not found in NBROBUST_DATA, left out:", ", ".join(absent))
    if args.quick: names = names[:1]
    rows, figure = [], plt.figure(figsize=(9, 3.2), layout="constrained")
    axes = figure.subplots(1, len(SETS), squeeze=False)[0]
    for ax, name in zip(axes, names):
        for seed in range(1 if args.quick else 3):
            found, curves = run(name, seed)
            rows += found
            if seed: continue
            for (order, points), style in zip(curves.items(), ("-", "--", ":")): ax.plot(*zip(*points), style, label=order)
        ax.set(title=name, xlabel="cells looked up", ylabel="of the rows that can become certain")
        ax.legend(frameon=False)
    frame = pd.DataFrame(rows).groupby(["table", "order"], sort=False).mean(numeric_only=True).drop(columns="seed").reset_index()
    for q in SHARES:
        random = frame[frame["order"] == "random order"].set_index("table")[f"until {q:.0%}"]
        frame[f"plan's part at {q:.0%}"] = [r[f"until {q:.0%}"] / random[r["table"]] for _, r in frame.iterrows()]
    report("cells looked up until a share of the open rows is certain", frame.to_dict("records"), "clean", args.out)
    if args.out: figure.savefig(args.out / "clean.png", dpi=110)


if __name__ == "__main__": main()
