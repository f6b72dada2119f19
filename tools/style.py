"""How the code reads: fails where a module breaks a rule of CONTRIBUTING.md, with the place.

usage: python tools/style.py"""

import ast
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "nbrobust"
LINE, LENGTH, PARAMETERS, MODULE = 120, 40, 6, 450
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def long_lines(text, tree):
    "Lines that are too long; the names in `__all__` are wrapped by nbdev."
    wrapped = [range(s.lineno, s.end_lineno + 1) for s in tree.body if isinstance(s, ast.Assign) and getattr(s.targets[0], "id", "") == "__all__"]
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > LINE and not any(number in lines for lines in wrapped):
            yield number, f"{len(line)} characters"


def functions(tree, is_command):
    "Functions that are too long, their docstring aside, or take too many parameters."
    for node in ast.walk(tree):
        if not isinstance(node, DEFINITIONS): continue
        doc = node.body[0] if ast.get_docstring(node) else None
        lines = node.end_lineno - node.lineno + 1 - (doc.end_lineno - doc.lineno if doc else 0)
        if lines > LENGTH: yield node.lineno, f"{node.name} has {lines} lines"
        a = node.args
        names = [x.arg for x in (*a.posonlyargs, *a.args, *a.kwonlyargs, *filter(None, (a.vararg, a.kwarg)))]
        n = len([name for name in names if name not in ("self", "cls")])
        if n > PARAMETERS and node.name != "__init__" and not is_command: yield node.lineno, f"{node.name} has {n} parameters"


def private_names(tree):
    "Names with an underscore from other modules, and classes on a private base."
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.ImportFrom) else []
        bases = [b.id for b in node.bases if isinstance(b, ast.Name)] if isinstance(node, ast.ClassDef) else []
        for name in (*names, *bases):
            if name[0] == "_" and name[:2] != "__": yield node.lineno, f"{name} is private"


def arrows(tree, folder):
    "Imports between the halves: nbrobust.bayes and nbrobust.trees."
    other = {"bayes": "trees", "trees": "bayes"}.get(folder)
    for node in ast.walk(tree):
        if other and isinstance(node, ast.ImportFrom) and other in (node.module or "").split("."):
            yield node.lineno, f"{folder} imports from {other}"


def main():
    "Look at every module, print what is wrong and where; exit code 1 if something is."
    wrong, homes = [], defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        if path.name == "_modidx.py": continue
        where, text = path.relative_to(ROOT), path.read_text(encoding="utf-8")
        tree, folder = ast.parse(text), path.parent.name
        found = [*long_lines(text, tree), *functions(tree, folder == "cli"), *private_names(tree), *arrows(tree, folder)]
        if len(text.splitlines()) > MODULE: found.append((MODULE, f"more than {MODULE} lines"))
        wrong += [f"{where}:{number}: {what}" for number, what in found]
        for node in tree.body:
            if isinstance(node, (*DEFINITIONS, ast.ClassDef)) and node.name[0] != "_" and folder != "experiments": homes[node.name].append(str(where))
    wrong += [f"{name} is defined twice: {', '.join(places)}" for name, places in homes.items() if len(places) > 1]
    print("\n".join(wrong) or f"{len(homes)} public names: no rule broken")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
