"""The command line `nbrobust`: one room per command; `main` is what the shell calls."""

__all__ = ["main"]


def __getattr__(name):
    "Import `main`, and all commands with it, when it is first used, so that a single room stays light."
    if name != "main":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from nbrobust.cli.app import main
    return globals().setdefault(name, main)
