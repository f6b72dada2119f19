"""What .ci/run runs: the README's two commands and the checks around them, counted. It needs nothing but Python and git."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BIN = ROOT / ".venv/bin"  # made by the README's test command
COMMAND = r"<!-- command: {} -->\s*```sh\n(.*?)\n```"
SLOW = re.compile(r"^\s*#\s*\|\s*slow\b", re.M)
INSTALLED = """
import importlib, importlib.util, pkgutil, sys
from importlib.metadata import version
import nbrobust
for module in pkgutil.walk_packages(nbrobust.__path__, "nbrobust."): importlib.import_module(module.name)
for name in nbrobust.__all__: getattr(nbrobust, name)
assert nbrobust.__version__ == version("nbrobust"), "two versions"
for tool in ("nbdev", "fastcore"):
    assert tool not in sys.modules and importlib.util.find_spec(tool) is None, f"{tool} came with the package"
"""


class Failed(Exception):
    "A check that failed: why, and how many of its parts passed and failed."

    def __init__(self, why, passed=0, failed=1):
        super().__init__(why)
        self.passed, self.failed = passed, failed


def run(*command, cwd=ROOT):
    "Run a command and show what it prints; its exit code, and that."
    print("$", shlex.join(map(str, command)), flush=True)
    with subprocess.Popen(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as p:
        lines = []
        for line in p.stdout:
            print(line, end="", flush=True)
            lines.append(line)
    return p.returncode, "".join(lines)


def must(*command, cwd=ROOT):
    "Run a command that has to succeed; what it prints."
    code, text = run(*command, cwd=cwd)
    if code:
        raise Failed(f"exit code {code}: {shlex.join(map(str, command))}")
    return text


def readme_command(name):
    "A command of the README: the `sh` block below `<!-- command: name -->`."
    found = re.search(COMMAND.format(name), (ROOT / "README.md").read_text(encoding="utf-8"), re.S)
    if not found:
        raise Failed(f"README.md has no `sh` block below <!-- command: {name} -->")
    return ["bash", "-euo", "pipefail", "-c", found[1]]


def unchanged():
    "Fail if git sees a file that is new or differs."
    changes = must("git", "status", "--porcelain")
    if changes:
        must("git", "--no-pager", "diff", "--stat")
        raise Failed("these files are new or differ from what is committed:\n" + changes)


def count(code, text):
    "How many notebooks nbdev_test ran to the end without an error."
    ran = set(re.findall(r"- Completed (\S.*?\.ipynb)", text))
    listed = re.search(r"Failed On The Following Notebooks:\n=+\n((?:\t.*\n?)*)", text)
    bad = listed[1].split() if listed else []
    if code or bad:
        raise Failed(f"these notebooks failed: {' '.join(bad)}" if bad else f"exit code {code}", max(0, len(ran) - len(bad)), max(1, len(bad)))
    if not ran:
        raise Failed("no notebook ran")
    return len(ran)


def test():
    "the README's test command"
    return count(*run(*readme_command("test")))


def spark():
    "Spark and Java, for the slow cells"
    if shutil.which("java") is None:
        if shutil.which("apt-get") is None or os.geteuid():
            print("skipped: Spark needs Java, which cannot be installed here")
            return 0
        must("apt-get", "update")
        must("apt-get", "install", "--yes", "--no-install-recommends", "default-jre-headless")
    must(BIN / "pip", "install", "-e", ".[spark]")
    return 0


def slow():
    "notebooks with slow cells"
    cells = {f.name: json.loads(f.read_text(encoding="utf-8"))["cells"] for f in sorted((ROOT / "nbs").rglob("[!_.]*.ipynb"))}
    names = [re.escape(n) for n, cs in cells.items() if any(c["cell_type"] == "code" and SLOW.search("".join(c["source"])) for c in cs)]
    if not names:
        return 0
    return count(*run(BIN / "nbdev_test", "--flags", "slow", "--do_print", "--file_re", f"^({'|'.join(names)})$"))


def in_step():
    "notebooks are clean, modules are their export"
    must(BIN / "nbdev_export")
    must(BIN / "nbdev_clean")
    unchanged()
    for module in ROOT.glob("nbrobust/**/*.py"):
        source = re.search(r"File to edit: (\S+\.ipynb)", module.read_text(encoding="utf-8"))
        if source and not (module.parent / source[1]).exists():
            raise Failed(f"{module.relative_to(ROOT)}: its notebook is gone")


def style():
    "how the code reads"
    must(BIN / "python", "tools/style.py")


def readme():
    "README.md is current"
    must(BIN / "python", "tools/readme.py", "--check")


def package():
    "the wheel, built from the sdist, in an empty environment"
    with tempfile.TemporaryDirectory() as tmp:
        tmp = Path(tmp)
        must(BIN / "python", "-m", "build", "--outdir", tmp / "dist", ".")
        must(sys.executable, "-m", "venv", tmp / "venv")
        must(tmp / "venv/bin/pip", "install", *(tmp / "dist").glob("*.whl"), cwd=tmp)
        must(tmp / "venv/bin/python", "-c", INSTALLED, cwd=tmp)
        must(tmp / "venv/bin/nbrobust", "--help", cwd=tmp)
        must(tmp / "venv/bin/nbrobust", "demo", cwd=tmp)


def demo():
    "the README's demo command, in a fresh clone"
    with tempfile.TemporaryDirectory() as tmp:
        must("git", "clone", "--quiet", ROOT, Path(tmp) / "clone")
        must(*readme_command("demo"), cwd=Path(tmp) / "clone")


def site():
    "the site, without a warning or a broken link"
    must(BIN / "python", "tools/site.py", "--strict")
    unchanged()


def browser():
    "the site in a real browser"
    if not (os.environ.get("CHROMIUM") or shutil.which("chromium")):
        if shutil.which("apt-get") is None or os.geteuid():
            print("skipped: no Chromium, and it cannot be installed here")
            return 0
        must("apt-get", "update")
        must("apt-get", "install", "--yes", "--no-install-recommends", "chromium", "fonts-dejavu", "fonts-liberation")
    code, text = run(BIN / "python", "tools/browse.py")
    found = re.search(r"(\d[\d,]*) checks: (\d+) failed", text)
    if code or not found: raise Failed("see above", 0, int(found[2]) if found and int(found[2]) else 1)
    return int(found[1].replace(",", ""))


def main():
    "Run every check, say what failed, and count."
    os.environ |= {"PIP_QUIET": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    passed, failed, report = 0, 0, []
    for check in (test, spark, slow, in_step, style, readme, package, demo, site, browser):
        print(f"\n==== {check.__doc__}", flush=True)
        start, why = time.time(), ""
        try:
            n = check()
            passed += 1 if n is None else n
        except Failed as e:
            why, passed, failed = f"\n     {e}", passed + e.passed, failed + e.failed
        except OSError as e:  # such as a program that is not there
            why, failed = f"\n     {e}", failed + 1
        report.append(f"{'FAIL' if why else 'ok':4} {time.time() - start:5.0f} s  {check.__doc__}{why}")
    print("\n" + "\n".join(report) + f"\n{passed} passed, {failed} failed", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
