"""Make README.md from nbs/index.ipynb: its Markdown, the code that it shows, and what that code prints.

usage: python tools/readme.py [--check]"""

import argparse
import difflib
import os
import re
import sys
from pathlib import Path
from posixpath import normpath

from execute import execute
from nbdev.config import get_config
from nbdev.process import extract_directives
from smalldocs.notebook import ANSI, IMAGES, cell_options, fence_for

HIDDEN = {"hide", "export", "exporti", "default_exp"}
LINK = re.compile(r'(\]\(|(?:src|href)=")(?![a-z][a-z0-9+.-]*:|[#/])([^)"\s]+)', re.I)


def fenced(text, language):
    "A code block in Markdown."
    fence = fence_for(text)
    return f"{fence}{language}\n{text.strip(chr(10))}\n{fence}"


def markdown(cell, folder):
    "A Markdown cell, with its relative links as seen from the folder above."
    if ":::" in cell.source:
        sys.exit("index.ipynb: a README shows no callouts or other `:::` blocks; write plain Markdown")
    return LINK.sub(lambda m: m[1] + normpath(f"{folder}/{m[2]}"), cell.source)


def output(out):
    "What an output says in text; pictures and warnings are left out."
    if out.output_type == "stream":
        return fenced(ANSI.sub("", "".join(out.text)), "text") if out.name == "stdout" else ""
    data = out.get("data", {})
    if data.keys() & set(IMAGES):
        return ""
    if "text/markdown" in data:
        return "".join(data["text/markdown"])
    return fenced("".join(data["text/plain"]), "text") if "text/plain" in data else ""


def code(cell):
    "A code cell that readers are to see, and its outputs."
    if extract_directives(cell).keys() & HIDDEN:
        return []
    options, source = cell_options(cell.source)
    if options.get("include") is False:
        return []
    shown = [fenced(source, "python")] if source.strip() and options.get("echo") is not False else []
    return shown + ([output(o) for o in cell.outputs] if options.get("output") is not False else [])


def readme(path):
    "The text of the README."
    nb, error = execute(path)
    if error:
        sys.exit(error)
    folder = path.parent.name
    parts = [f"<!-- Made from {folder}/{path.name} by tools/readme.py; edit the notebook. -->"]
    for cell in nb.cells:
        parts += [markdown(cell, folder)] if cell.cell_type == "markdown" else code(cell) if cell.cell_type == "code" else []
    return "\n\n".join(p.strip("\n") for p in parts if p.strip()) + "\n"


def main():
    "Write the README, or check that it is current."
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--check", action="store_true", help="change nothing; fail if README.md is not current")
    check = p.parse_args().check
    root = Path(__file__).resolve().parents[1]
    os.chdir(root)
    sys.path.insert(0, str(root))
    os.environ.pop("NBROBUST_DATA", None)  # the README says the same everywhere
    made, file = readme(get_config().nbs_path / "index.ipynb"), root / "README.md"
    old = file.read_text(encoding="utf-8") if file.exists() else ""
    if not check:
        file.write_text(made, encoding="utf-8")
    elif made != old:
        diff = difflib.unified_diff(old.splitlines(), made.splitlines(), "README.md", "nbs/index.ipynb", lineterm="")
        sys.exit("\n".join([*list(diff)[:60], "README.md is not current: run python tools/readme.py"]))


if __name__ == "__main__":
    main()
