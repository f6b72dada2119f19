"""Build the site into _docs without Quarto: run a copy of the notebooks, filter them with nbdev, render with smalldocs.

usage: python tools/site.py [--serve] [--strict] [--no-katex]"""

import argparse
import ast
import json
import os
import re
import shutil
import subprocess
import sys
import time
from codeop import CommandCompiler
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from html import unescape
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import entry_points
from pathlib import Path
from posixpath import dirname, join, normpath
from urllib.parse import unquote

import yaml
from execnb.nbio import mk_cell, read_nb, write_nb
from nbdev.config import get_config
from nbdev.doclinks import _nbpath2html
from nbdev.quarto import _nbdev_yml
from nbdev.serve import proc_nbs
from smalldocs.check import scan
from smalldocs.layout import KATEX
from smalldocs.notebook import IMAGES, cell_options
from smalldocs.site import build as render_site

ROOT = Path(__file__).resolve().parents[1]
STAGE = Path("_build")  # relative: nbdev skips every path that has a hidden folder in it
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "nbrobust"
LINK = re.compile(r"(\]\([^)\s]*?)([^/()\s]+\.ipynb)")
UNREAD = [  # what smalldocs prints as it stands, beyond what its own scan finds
    (re.compile(r"\{#(eq|fig|tbl|lst|sec|thm|lem|cor|prp|def)-"), "a label for cross-references; write \\tag{…} or a plain heading"),
    (re.compile(r"\\begin\{(align|equation)\*?\}"), "an unsupported environment; write $$\\begin{aligned}…$$"),
    (re.compile(r"\[[^]]*\[`[^`]+`\]\("), "a link inside a link: nbdev links the name in backticks; drop the backticks"),
]
CHECK_MATHS = """
const katex = require(process.argv[1]), read = require("fs").readFileSync
for (const [page, tex, displayMode] of JSON.parse(read(0)))
  try { katex.renderToString(tex, {displayMode, strict: false}) } catch (e) { console.log(`${page}: ${e.message}`) }
"""


# ---- the copy of the notebooks, run


def notebooks(folder):
    "The notebooks in a folder and below, in order, but for hidden and underscored ones."
    found = sorted(folder.rglob("*.ipynb"))
    return [f for f in found if not any(p[0] in "._" for p in f.relative_to(folder).parts)]


def stage(nbs):
    "A fresh copy of the notebooks' folder to work in."
    shutil.rmtree(STAGE, ignore_errors=True)
    return Path(shutil.copytree(nbs, STAGE, ignore=shutil.ignore_patterns(".*", "_*", "nbdev.yml", "sidebar.yml")))


def title_problem(path):
    "nbdev reads the first Markdown cell with an H1 as title and subtitle, and drops what else stands in it."
    cell = next((c for c in read_nb(path).cells if c.cell_type == "markdown"), None)
    lines = [x for x in (cell.source if cell else "").splitlines() if x.strip()]
    rest = [x for x in lines[1:] if not re.match(r"- \S+:\s", x)]
    if not lines or not lines[0].startswith("# "):
        return f"{path}: the first Markdown cell must be the title, `# …`"
    if "$" in lines[0]:
        return f"{path}: the title stands in the sidebar too, which shows no formulas"
    if rest and (len(rest) > 1 or not rest[0].startswith("> ")):
        return f"{path}: the title cell may hold only `# title` and one line `> subtitle`; move the rest to a cell of its own"


def paste_problems(path):
    "The cells of a tutorial or of the front page that Python's prompt would not take line by line: a blank line has to end each loop."
    if path.parent.name != "tutorials" and path.stem != "index":
        return []
    return [f"{path}: cannot be pasted at Python's prompt, for {line!r}: put a blank line before it" for c in read_nb(path).cells if c.cell_type == "code" for line in refused(c.source)]


def refused(source):
    "The lines at which the prompt would complain."
    compiles, waiting, lines = CommandCompiler(), [], []
    for line in [*source.split("\n"), ""]:
        waiting.append(line)
        try:
            done = compiles("\n".join(waiting), symbol="single")
        except (SyntaxError, ValueError, OverflowError):
            done = True
            lines.append(line)
        waiting = [] if done else waiting
    return lines


def execute(path):
    "Run a notebook of the copy in a process of its own; what it printed if it failed."
    start = time.time()
    run = subprocess.run([sys.executable, ROOT / "tools/execute.py", path], capture_output=True, text=True)
    print(f"{'failed' if run.returncode else 'ran'} {path.relative_to(STAGE)}, {time.time() - start:.0f} s", flush=True)
    return f"{path.relative_to(STAGE)}: exit code {run.returncode}\n{run.stderr}" if run.returncode else None


def execute_all(paths):
    "Run the notebooks, two at a time; stop if any failed."
    with ThreadPoolExecutor(2) as pool:
        errors = [e for e in pool.map(execute, paths) if e]
    if errors:
        sys.exit("\n".join(errors + [f"{len(errors)} of {len(paths)} notebooks failed"]))


# ---- what smalldocs gets to read


def filter_notebooks(paths):
    "nbdev's filters: hidden cells go, documentation of exported names comes. The folder with the result."
    try:
        proc = proc_nbs(path=str(STAGE), force=True, n_workers=2)
    except Exception as e:
        sys.exit(f"nbdev's filters failed. They run cells that import or export once more, without the others. {e}")
    lost = [p for p in paths if not (proc / p.relative_to(STAGE)).exists()]
    return proc if not lost else sys.exit(f"nbdev left out: {' '.join(map(str, lost))}")


def page_name(name):
    "01_counts.ipynb becomes counts.ipynb, as in the links that nbdev writes."
    return Path(_nbpath2html(Path(name))).with_suffix(".ipynb").name


def rename_pages(proc):
    "Give the notebooks their pages' names, and write the links between them so."
    home = re.escape(get_config().doc_host + get_config().doc_baseurl) + "/"
    for f in notebooks(proc):
        up = "../" * (len(f.relative_to(proc).parts) - 1)
        text = re.sub(rf"\]\({home}", "](" + up, f.read_text(encoding="utf-8"))
        text = re.sub(r"output-file: \S+\.html\\n", "", text)  # smalldocs names a page after its notebook
        page = f.with_name(page_name(f.name))
        if page.exists() and page != f:
            sys.exit(f"{f.relative_to(proc)}: another notebook makes the page {page.stem}.html")
        f.rename(page).write_text(LINK.sub(lambda m: m[1] + page_name(m[2]), text), encoding="utf-8")


def navigation(items, proc, listed):
    "The sidebar's entries with pages' names, without those whose notebook does not exist yet; notes all of them in `listed`."
    kept = []
    for item in items:
        if isinstance(item, dict):
            below = navigation(item["contents"], proc, listed)
            kept += [{**item, "contents": below}] if below else []
        else:
            page = str(Path(item).with_name(page_name(item)))
            listed[item] = page
            kept += [page] if (proc / page).exists() else []
    return kept


def configure(proc):
    "Write the site's configuration beside the pages; return what the sidebar lists in vain, and what it does not list."
    cfg, listed = get_config(), {}
    keys = ["title", "description", "branch", "git_url", "doc_host", "doc_baseurl"]
    (proc / "nbdev.yml").write_text(_nbdev_yml.format(doc_path=cfg.doc_path.name, **{k: cfg[k] for k in keys}), encoding="utf-8")
    site = yaml.safe_load((ROOT / "_quarto.yml").read_text(encoding="utf-8").replace(f"{cfg.nbs_path.name}/", ""))
    bar = site["website"]["sidebar"]
    bar["contents"] = navigation(bar["contents"], proc, listed)
    (proc / "_quarto.yml").write_text(yaml.safe_dump(site, sort_keys=False), encoding="utf-8")
    pages = {f.relative_to(proc).as_posix() for f in notebooks(proc)}
    return [f"_quarto.yml lists {n}, which does not exist" for n, p in listed.items() if p not in pages] + [
        f"the page {p} is not in the sidebar: list its notebook in _quarto.yml" for p in sorted(pages - set(listed.values()))
    ]


def figures(proc):
    "Give every picture a text for those who do not see it; return the widths the pictures are meant to have, and the problems."
    widths, problems = {}, []
    for f in notebooks(proc):
        nb = read_nb(f)
        for cell in nb.cells:
            pictures = [(o.data[m], o.metadata.get(m, {})) for o in cell.get("outputs", []) for m in IMAGES if m in o.get("data", {})]
            options = cell_options(cell.source)[0] if pictures else {}
            widths |= {b64.strip(): meta["width"] for b64, meta in pictures if "width" in meta}
            if pictures and not (options.get("fig-alt") or options.get("fig-cap")):
                problems.append(f"{f.relative_to(proc)}: a picture without `#| fig-cap:` or `#| fig-alt:` (quote a text with a colon):\n{cell.source}")
            elif pictures and "fig-alt" not in options:
                cell.source = f"#| fig-alt: {json.dumps(options['fig-cap'])}\n{cell.source}"
        write_nb(nb, f)
    return widths, problems


def defined(source):
    "The names of the functions and classes that a cell defines, in order."
    return [x.name for x in ast.parse(source).body if isinstance(x, (ast.FunctionDef, ast.ClassDef))]


def only_imports(source):
    "Whether a cell does nothing but import."
    return all(isinstance(x, (ast.Import, ast.ImportFrom)) for x in ast.parse(source).body)


def name_line(names, links):
    "One line that names what the cell below defines: anchors to link to, and where the source is, for names that are documented."
    anchors = " · ".join(f'<code id="{n.lower()}">{n}</code>' for n in names)
    source = next((f'<a href="{links[n]}" target="_blank">source</a>' for n in names if n in links), "")
    return f'```{{=html}}\n<p class="names">{anchors}{source}</p>\n```'


def gather_names(proc):
    "nbdev documents every name of a cell whose source is shown once more, beside it: one line above the cell instead."
    card = re.compile(r"show_doc\((\w+)\)$")
    for f in notebooks(proc):
        nb = read_nb(f)
        folded, shown = re.search("^code-fold: true$", nb.cells[0].source, re.M), '#| code-summary: "Exported source"'
        cards = {m[1]: c for c in nb.cells if c.cell_type == "code" and (m := card.search(c.source))}
        links = {n: re.search(r"\[source\]\(([^)]+)\)", "".join(c.outputs[0].data["text/markdown"]))[1] for n, c in cards.items()}
        cells, said = [], set()
        for cell in nb.cells:
            if cell.cell_type == "code" and shown in cell.source:
                names = defined(cell.source)
                if folded or only_imports(cell.source):
                    cell.source = cell.source.replace("#| code-fold: show", "#| code-fold: true")
                if only_imports(cell.source):
                    cell.source = cell.source.replace(shown, '#| code-summary: "What the module imports"')
                elif names:
                    cells.append(mk_cell(name_line(names, links), "markdown"))
                said |= {n for n in names if n in cards}
            cells.append(cell)
        nb.cells = [c for c in cells if not any(c is cards[n] for n in said)]
        for c in cards.values():  # nbdev links names in comments of a signature, too, where no link can be
            shown = c.outputs[0].data
            shown["text/markdown"] = re.sub(r"(?s)```python.*?```", lambda m: re.sub(r"\[(`[^`]+`)\]\([^)]*\)", r"\1", m[0]), "".join(shown["text/markdown"]))
        write_nb(nb, f)


def render(proc):
    "Render the pages into _docs; return smalldocs' warnings and the Markdown that it does not read."
    site = render_site(proc, quiet=True)
    problems = list(site.warnings)
    for page in site.pages.values():
        found = scan(page.body) + [(n, msg) for n, x in enumerate(page.body.split("\n"), 1) for pat, msg in UNREAD if pat.search(x)]
        problems += [f"{page.src}: {msg}:\n{page.body.splitlines()[n - 1]}" for n, msg in found]
    out = ROOT / get_config().doc_path.name
    shutil.rmtree(out, ignore_errors=True)
    shutil.move(site.out, out)
    return out, problems


# ---- the pages, finished


def edit(out, change):
    "Rewrite every page with `change(text, path from the page up to the top)`."
    for f in out.rglob("*.html"):
        f.write_text(change(f.read_text(encoding="utf-8"), "../" * (len(f.relative_to(out).parts) - 1)), encoding="utf-8")


def set_widths(out, widths):
    "Show pictures that were drawn for sharp screens at the size they are meant for."
    image = re.compile(r'(src="data:image/png;base64,([^"]+)")')
    edit(out, lambda text, up: image.sub(lambda m: f'{m[1]} width="{widths[m[2]]}"' if m[2] in widths else m[1], text))


def hang(code):
    "Wrap each line of highlighted code in a span that knows its indentation, so that a long line that breaks goes on to the right of it."
    lines, open_ = [], []
    for line in code.split("\n"):
        indent = line[: len(line) - len(line.lstrip(" "))]
        text = "".join(open_) + line.lstrip(" ")
        for m in re.finditer(r"<span[^>]*>|</span>", line):
            open_.pop() if m[0] == "</span>" else open_.append(m[0])
        lines.append(f'<span class="line" style="--in:{len(indent)}ch"><span class="in">{indent}</span>{text}{"</span>" * len(open_)}</span>')
    return "\n".join(lines)


def hang_outputs(printed):
    "Sentences that a cell printed break, too; lines with columns and the like stay whole."
    columns = re.compile(r"\S {2,}\S|[\u2500-\u257f]|^ +\S" if "\n" in printed.strip() else "(?!)")
    return "\n".join(x if not x or columns.search(x) else f'<span class="line">{x}</span>' for x in printed.split("\n"))


def hang_lines(out):
    "Long lines of code and of what it printed break; what follows is indented."
    source = re.compile(r'(<code class="sourceCode python">)(.*?)(</code>)', re.S)
    printed = re.compile(r'(<div class="cell-output [^"]*">\s*<pre><code>)([^<]*)(</code>)')
    edit(out, lambda text, up: source.sub(lambda m: m[1] + hang(m[2]) + m[3], text))
    edit(out, lambda text, up: printed.sub(lambda m: m[1] + hang_outputs(m[2]) + m[3], text))


def keep_together(out):
    "No line begins with the full stop after a formula, or with the sign that a proof ends."
    short = re.compile(r'(<span class="math inline">\\\([^<]{1,40}\\\)</span>)([.,;:!?)]+)')
    edit(out, lambda text, up: short.sub(r'<span class="together">\1\2</span>', text).replace(" ∎", "\u00a0∎"))


def strip_web_fonts(out):
    "Drop what the themes would fetch from elsewhere."
    for f in (out / "site_libs/themes").glob("*.css"):
        f.write_text(re.sub(r"@import url\([^)]*\);?", "", f.read_text(encoding="utf-8")), encoding="utf-8")


def program(name):
    "Where a program is that comes with Node.js."
    return shutil.which(name) or sys.exit(f"{name} is needed to put KaTeX into the site and to check the formulas; --no-katex does without")


def katex():
    "The folder with the release of KaTeX that smalldocs names, from npm, kept in the user's cache."
    version = re.search(r"katex@([\d.]+)", KATEX)[1]
    folder = CACHE / f"katex-{version}"
    dist = folder / "node_modules/katex/dist"
    if not dist.exists():
        subprocess.run([program("npm"), "install", "--silent", "--ignore-scripts", "--prefix", folder, f"katex@{version}"], check=True)
    return dist


def vendor_katex(out, dist):
    "Copy KaTeX into the site, and point the pages at it."
    names = ["katex.min.css", "katex.min.js", "contrib/auto-render.min.js", *(f"fonts/{f.name}" for f in (dist / "fonts").glob("*.woff2"))]
    for name in names:
        to = out / "site_libs/katex" / name
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(dist / name, to)
    edit(out, lambda text, up: text.replace(KATEX, up + "site_libs/katex"))


def maths_problems(out, dist):
    "The formulas that KaTeX cannot read."
    maths = re.compile(r'<span class="math (inline|display)">\\[(\[](.*?)\\[)\]]</span>', re.S)
    formulas = [(f.relative_to(out).as_posix(), unescape(m[2]), m[1] == "display") for f in sorted(out.rglob("*.html")) for m in maths.finditer(f.read_text(encoding="utf-8"))]
    run = subprocess.run([program("node"), "-e", CHECK_MATHS, dist / "katex.min.js"], input=json.dumps(formulas), capture_output=True, text=True, check=True)
    return run.stdout.splitlines()


class Links(HTMLParser):
    "What a page can be linked to by, and what it links to."

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loads = set(), set(), set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        a = dict(attrs)
        self.ids |= {a["id"]} if a.get("id") else set()
        self.links |= {a["href"]} if tag in ("a", "link") and a.get("href") else set()
        self.loads |= {a["src"]} if a.get("src") else {a["href"]} if tag == "link" and a.get("rel") == "stylesheet" else set()


def read_links(out):
    "The links of every page, by its path."
    return {f.relative_to(out).as_posix(): Links(f.read_text(encoding="utf-8")) for f in sorted(out.rglob("*.html"))}


def target(page, link):
    "Where a link leads: a path from the top of the site, and an anchor; None if it leads elsewhere."
    if re.match(r"[a-z][a-z0-9+.-]*:|//", link, re.I):
        return None
    path, _, anchor = link.partition("#")
    path = normpath(join(dirname(page), path)) if path else page
    return ("index.html" if path == "." else path), unquote(anchor)


def settle_names(out):
    """nbdev links every name in backticks that some module exports. One that has no heading of its own leads to its class, or else to its page;
    one that several modules or classes have, or only the command line or an experiment, is linked on their own pages only."""
    lib = get_config().lib_path.name
    symbols = next(e for e in entry_points(group="nbdev") if e.name == lib).load()["syms"]
    names, pages = {where for mod in symbols.values() for where, _ in mod.values()}, read_links(out)
    holders = Counter(name.rpartition(".")[2] for mod in symbols.values() for name in mod)

    def settle(page, m):
        to = target(page, unescape(m[1]))
        if not to or "#".join(to) not in names or to[0] not in pages or to[1] in pages[to[0]].ids:
            return m[0]
        owner = to[1].split(".")[0]
        return f'href="{m[1].split("#")[0]}{"#" + owner if owner in pages[to[0]].ids else ""}"'

    def guess(page, m):
        to, name = target(page, unescape(m[1])), m[2].removesuffix("()")
        if not to or "#".join(to) not in names or to[0] == page or name != to[1]:
            return m[0]
        if name in pages[page].ids:
            return f'<a href="#{name}"><code>{m[2]}</code></a>'
        return f"<code>{m[2]}</code>" if holders[name] > 1 or to[0].startswith(("cli/", "experiments/")) else m[0]

    classes = {name.rpartition(".")[2]: where for mod in symbols.values() for name, (where, _) in mod.items() if name.rpartition(".")[2][0].isupper()}

    def methods(page, m):
        "A method that a class inherits from a private one, which nbdev does not know by this name."
        up = "../" * (len(Path(page).parts) - 1)
        return f'<a href="{up}{classes[m[2]]}">{m[0]}</a>' if m[2] in classes else m[0]

    for page in pages:
        text = (out / page).read_text(encoding="utf-8")
        text = re.sub(r'(?<!">)<code>((\w+)\.\w+)</code>', partial(methods, page), text)
        text = re.sub(r'<a href="([^"]+#[^"]+)"><code>([^<]+)</code></a>', partial(guess, page), text)
        (out / page).write_text(re.sub(r'href="([^"]+#[^"]+)"', partial(settle, page), text), encoding="utf-8")


def link_problems(out, online):
    "The links and anchors within the site that lead nowhere, and (unless `online`) what a page would load from elsewhere."
    pages, problems = read_links(out), []
    for page, it in pages.items():
        for link in sorted(it.links | it.loads):
            to = target(page, link)
            if to is None:
                problems += [f"{page} loads {link} from elsewhere"] if link in it.loads and not link.startswith("data:") and not online else []
            elif not (out / to[0]).exists():
                problems.append(f"{page}: {link} leads nowhere")
            elif to[1] and to[0] in pages and to[1] not in pages[to[0]].ids:
                problems.append(f"{page}: {link} has no such anchor")
    return problems


# ---- all of it


def build(strict=False, online=False):
    "Build the site; return the problems found."
    nbs = get_config().nbs_path
    paths = notebooks(stage(nbs)) or sys.exit(f"no notebooks in {nbs}")
    problems = [p for p in map(title_problem, paths) if p] + [p for path in paths for p in paste_problems(path)]
    execute_all(paths)
    proc = filter_notebooks(paths)
    rename_pages(proc)
    notes = configure(proc)
    gather_names(proc)
    widths, blind = figures(proc)
    out, unread = render(proc)
    set_widths(out, widths)
    hang_lines(out)
    keep_together(out)
    strip_web_fonts(out)
    settle_names(out)
    problems += blind + unread
    if not online:
        vendor_katex(out, katex())
        problems += maths_problems(out, katex())
    problems += link_problems(out, online)
    print(*notes, sep="\n") if notes and not strict else None
    return problems + (notes if strict else [])


def serve(port):
    "Show the site on this machine until interrupted."
    handler = partial(SimpleHTTPRequestHandler, directory=ROOT / get_config().doc_path.name)
    print(f"http://127.0.0.1:{port}")
    ThreadingHTTPServer(("127.0.0.1", port), handler).serve_forever()


def main():
    "Read the options, build, report, and serve if asked to."
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--serve", nargs="?", const=8000, type=int, metavar="PORT", help="then show the site on this machine")
    p.add_argument("--strict", action="store_true", help="fail when the sidebar and the notebooks do not match, too")
    p.add_argument("--no-katex", action="store_true", help="let the pages load KaTeX from the network")
    args, start = p.parse_args(), time.time()
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    if get_config().lib_path.name not in entry_points(group="nbdev").names:
        sys.exit("install the package first: pip install -e '.[dev]'")
    problems = build(args.strict, args.no_katex)
    print(*problems, sep="\n") if problems else print(f"_docs is built: {time.time() - start:.0f} s")
    if args.serve:
        serve(args.serve)
    sys.exit(f"{len(problems)} to mend" if problems else 0)


if __name__ == "__main__":
    main()
