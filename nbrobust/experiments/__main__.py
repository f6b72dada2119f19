"""Run the experiments of a notebook again: python -m nbrobust.experiments bayes|trees [PART ...] [--out FOLDER]

Results go to CSV files, task by task; a run that was stopped goes on where it was. To compute a part anew, delete its file.
The data sets come from the folder that the environment variable NBROBUST_DATA names (see nbrobust.datasets)."""

# This file is written by hand: it belongs to no notebook.

import argparse
import sys
from importlib import import_module
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

NOTEBOOKS = Path("nbs/experiments")  # in a clone


def experiments():
    "The modules beside this one, by their names; none is imported."
    return sorted(f.stem for f in Path(__file__).parent.glob("*.py") if f.stem[0] != "_")


class Parser(argparse.ArgumentParser):
    "Its help lists the parts of each experiment; only then are all of them imported."

    def format_help(self):
        parts = {name: import_module(f"nbrobust.experiments.{name}").PARTS for name in experiments()}
        self.epilog = "parts:\n" + "\n".join(f"  {name}: {', '.join(found)}" for name, found in parts.items())
        return super().format_help()


def shown(console):
    "A function that shows a progress bar over tasks."

    def track(tasks, title):
        columns = TextColumn("{task.description:>12}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
        with Progress(*columns, console=console) as progress:
            yield from progress.track(tasks, description=title)

    return track


def main(arguments=None):
    "Read the command line and run; the exit code."
    parser = Parser("python -m nbrobust.experiments", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("experiment", choices=experiments())
    parser.add_argument("parts", nargs="*", metavar="PART", help="only these parts (default: all)")
    parser.add_argument("--out", type=Path, default=NOTEBOOKS / "results" if NOTEBOOKS.is_dir() else Path("results"), help="folder of the results (default: %(default)s)")
    args, console = parser.parse_args(arguments), Console(stderr=True)
    module = import_module(f"nbrobust.experiments.{args.experiment}")
    try:
        module.run(args.out, args.parts, shown(console))
    except (ValueError, FileNotFoundError) as e:
        console.print(f"[red]{e}[/red]")
        return 1
    console.print(f"{args.experiment}: results are in {args.out}; measured on " + ", ".join(f"{k} {v}" for k, v in module.machine().items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
