"""Run a notebook as nbdev_test does, and keep its outputs.

usage: python tools/execute.py NOTEBOOK    saves the outputs in the notebook"""

import os
import sys
from pathlib import Path

from execnb.nbio import read_nb, write_nb
from execnb.shell import CaptureShell
from fastcore.utils import working_directory
from nbdev.config import get_config
from nbdev.frontmatter import FrontmatterProc
from nbdev.process import NBProcessor, extract_directives


def left_out(cell):
    "Whether nbdev_test does not run this cell: no code, `eval: false`, or a flag that settings.ini leaves out."
    d, flags = extract_directives(cell, remove=False), set(get_config().tst_flags.split())
    no_code = cell.cell_type != "code" or "nbdev_export(" in cell.source
    return no_code or d.get("eval:", [""])[0].lower() == "false" or bool(flags & d.keys())


def execute(path):
    "The notebook with its outputs, and what went wrong: a message with the cell's number and the error, or None."
    os.environ["IN_TEST"] = "1"
    nb, shell = read_nb(path), CaptureShell(path.absolute())
    if NBProcessor(path, FrontmatterProc, process=True).nb.frontmatter_.get("skip_exec"):
        return nb, None
    try:
        with working_directory(path.parent):
            shell.run_all(nb, exc_stop=True, preproc=left_out)
    except Exception:
        return nb, shell.prettytb(path)
    return nb, None


if __name__ == "__main__":
    path = Path(sys.argv[1])
    nb, error = execute(path)
    write_nb(nb, path)
    sys.exit(error)
