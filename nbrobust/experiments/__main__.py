"""Run the experiments of a notebook again: see nbrobust.experiments.command. This file is written by hand."""

import sys

from nbrobust.experiments.command import main

if __name__ == "__main__":
    sys.exit(main())
