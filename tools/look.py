"""Look at the built site in a browser: every page, light and dark, wide and narrow. Saves pictures, and fails where a page is
wider than its window, loads something from elsewhere, or complains.

usage: python tools/look.py FOLDER [PAGE ...]    needs Chromium; CHROMIUM names the program if it is not on the path"""

import os
import shutil
import sys
from contextlib import suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from playwright.sync_api import sync_playwright

DOCS = Path(__file__).resolve().parents[1] / "_docs"
VIEWS = [(scheme, width) for scheme in ("light", "dark") for width in (1280, 390)]
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"]


class Quiet(SimpleHTTPRequestHandler):
    "The site's files, without a log, and without complaints where a page is left before it is whole."

    def log_message(self, *args):
        pass

    def copyfile(self, source, outputfile):
        with suppress(ConnectionError):
            super().copyfile(source, outputfile)


def watch(page, home, seen):
    "Note in `seen` what goes wrong while a page loads."
    page.on("console", lambda m: seen.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda e: seen.append(str(e)))
    page.on("request", lambda r: None if r.url.startswith((home, "data:")) else seen.append(f"loads {r.url}"))


def look(context, home, name, picture):
    "Open a page, save its picture; return what is wrong with it."
    page, seen = context.new_page(), []
    watch(page, home, seen)
    page.goto(home + name, wait_until="networkidle")
    width, window = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    seen += [f"is {width} pixels wide in a window of {window}"] if width > window else []
    seen += ["shows a formula that failed"] if page.locator(".katex-error").count() else []
    page.screenshot(path=picture, full_page=True)
    page.close()
    return seen


def main(folder, *names):
    "Look at the pages named, or all; return the number of complaints."
    folder, complaints = Path(folder), 0
    folder.mkdir(parents=True, exist_ok=True)
    names = names or sorted(f.relative_to(DOCS).as_posix() for f in DOCS.rglob("*.html"))
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=DOCS))
    Thread(target=server.serve_forever, daemon=True).start()
    home = f"http://127.0.0.1:{server.server_port}/"
    with sync_playwright() as p:
        browser = p.chromium.launch(executable_path=os.environ.get("CHROMIUM") or shutil.which("chromium"), args=FLAGS)
        for scheme, width in VIEWS:
            context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 900})
            for name in names:
                for complaint in look(context, home, name, folder / f"{name[:-5].replace('/', '-')}-{scheme}-{width}.png"):
                    complaints += 1
                    print(f"{name} ({scheme}, {width}): {complaint}")
    print(f"looked at {len(names)} pages in {len(VIEWS)} views: {complaints} complaints")
    return complaints


if __name__ == "__main__":
    sys.exit(1 if main(*(sys.argv[1:] or sys.exit(__doc__))) else 0)
