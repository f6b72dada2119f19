"""Draw the pictures of the README into nbs/images/.

usage: python tools/pictures.py"""

from pathlib import Path

import matplotlib

matplotlib.use("agg")

import pandas as pd
from palmerpenguins import load_penguins

from nbrobust import CertifiableNB
from nbrobust.tables.bins import NumericBinner
from nbrobust.plot import plot_supports

IMAGES = Path(__file__).parent.parent / "nbs" / "images"


def ranges():
    "Ranges of supports of four held-out penguins, the model being that of the README."
    penguins = load_penguins()
    X, y = penguins.drop(columns="species"), penguins["species"]
    train, test = X[X.index % 2 == 1], X[X.index % 2 == 0]
    binner = NumericBinner(columns=["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]).fit(train)
    clf = CertifiableNB(alpha=1, domains=binner.domains_).fit(binner.transform(train), y[train.index])
    test = binner.transform(test)
    robust = clf.certify(test).robust
    return plot_supports(clf, pd.concat([test[robust].iloc[[1, 60, 100]], test[~robust][:1]])).figure


if __name__ == "__main__":
    IMAGES.mkdir(exist_ok=True)
    ranges().savefig(IMAGES / "ranges.png", dpi=110, metadata={"Software": None})
