"""Certificates for classifiers: Naive Bayes on tables with holes, and robust decision trees."""

from importlib import import_module

__version__ = "0.1.0"

_public = {  # name: the module that defines it
    "Certificates": "nbrobust.certificate",
    "CertifiableNB": "nbrobust.bayes.estimator",
    "NumericBinner": "nbrobust.tables.bins",
    "count_table": "nbrobust.bayes.engines",
    "bin_numeric": "nbrobust.tables.bins",
    "GrootTreeClassifier": "nbrobust.trees.estimator",
    "TreantTreeClassifier": "nbrobust.trees.treant",
    "adversarial_score": "nbrobust.trees.adversary",
}
__all__ = [*_public]


def __getattr__(name):
    "Import a public name when it is first used, so that `import nbrobust` stays fast."
    if name not in _public:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals().setdefault(name, getattr(import_module(_public[name]), name))


def __dir__():
    return sorted({*globals(), *__all__})
