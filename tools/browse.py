"""Test the built site in a real browser: every page loads by itself and without complaints, shows formulas instead of TeX, has alternative texts,
links that lead somewhere, readable colours in the dark, and fits a phone; the search finds what it should.

usage: python tools/browse.py [FOLDER]    the site's folder, else _docs; needs Chromium (CHROMIUM names the program). Without a browser it says so and passes, but fails where CI is set."""

import os
import re
import shutil
import sys
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path
from posixpath import dirname, join, normpath
from threading import Thread
from urllib.parse import unquote, urlsplit

from look import DOCS, FLAGS, Quiet, watch

LEFTOVER = re.compile(r"\$|\\tag|\\begin|\{#|@eq-|@fig-|Traceback \(most recent|\?\?\?|\[@\w")
FOUND_BY = {"Brooks": "bayes/hardness.html", "GROOT": "trees/"}  # what the search must find, and where
PROSE = """() => {
  const copy = document.querySelector('main').cloneNode(true)
  copy.querySelectorAll('pre, code, .katex, script, style').forEach(e => e.remove())
  return copy.textContent
}"""
PAGE = """() => ({
  links: [...document.querySelectorAll('a[href]')].map(a => a.getAttribute('href')),
  ids: [...document.querySelectorAll('[id]')].map(e => e.id),
  mute: [...document.querySelectorAll('main img')].filter(i => !(i.getAttribute('alt') || '').trim()).length,
  broken: [...document.querySelectorAll('main img')].filter(i => i.complete && !i.naturalWidth).length,
  bare: [...document.querySelectorAll('main .math')].filter(m => !m.querySelector('.katex')).length,
  failed: document.querySelectorAll('.katex-error').length,
})"""
PALE = """() => {
  const rgb = c => c.match(/[\\d.]+/g).map(Number)
  const light = ([r, g, b]) => [r, g, b].map(v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4).reduce((s, v, i) => s + v * [.2126, .7152, .0722][i], 0)
  const ground = e => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > .99) return c } return [255, 255, 255] }
  const seen = {}
  for (const e of document.querySelectorAll('main p, main li, main td, main th, main h1, main h2, main h3, main figcaption, main pre code span, main pre code')) {
    if (!e.textContent.trim() || e.closest('.katex')) continue
    const [a, b] = [light(rgb(getComputedStyle(e).color)), light(ground(e))], ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05)
    const least = e.closest('pre') ? 3 : 4.5
    if (ratio < least) seen[e.tagName + '.' + e.className] = ratio.toFixed(1) + ': ' + e.textContent.trim().slice(0, 40)
  }
  return Object.entries(seen).map(([k, v]) => k + ' ' + v)
}"""


class Site:
    "The pages, a browser, and what was found wrong; `checked` counts what was looked at."

    def __init__(self, docs, browser, home):
        self.docs, self.browser, self.home = docs, browser, home
        self.names = sorted(f.relative_to(docs).as_posix() for f in docs.rglob("*.html"))
        self.wrong, self.checked, self.links, self.ids = [], 0, {}, {}

    def check(self, name, what, ok, detail=""):
        self.checked += 1
        if not ok: self.wrong.append(f"{name}: {what}{f': {detail}' if detail else ''}")

    def open(self, name, **options):
        "A page in a window of its own, and what it complained of while loading."
        page, seen = self.browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options}).new_page(), []
        watch(page, self.home, seen)
        page.goto(self.home + name, wait_until="networkidle")
        return page, seen

    def read(self, name):
        "One page, as it stands on a desk."
        page, seen = self.open(name)
        self.check(name, "loads without complaints and from here only", not seen, "; ".join(seen[:3]))
        text, found = page.evaluate(PROSE), page.evaluate(PAGE)
        left = LEFTOVER.search(text)
        self.check(name, "no markup is left in the text", not left, text[max(0, left.start() - 40):left.end() + 40].replace("\n", " ") if left else "")
        self.check(name, "formulas are typeset", not found["bare"] + found["failed"], f"{found['bare']} bare, {found['failed']} failed")
        self.check(name, "pictures are there, with alternative texts", not found["mute"] + found["broken"], f"{found['mute']} without, {found['broken']} broken")
        self.links[name], self.ids[name] = found["links"], set(found["ids"])
        page.context.close()

    def in_the_dark(self, name):
        page, _ = self.open(name, color_scheme="dark")
        pale = page.evaluate(PALE)
        self.check(name, "text is readable in the dark", not pale, "; ".join(pale[:3]))
        page.context.close()

    def on_a_phone(self, name):
        page, _ = self.open(name, viewport={"width": 390, "height": 844})
        width = page.evaluate("document.documentElement.scrollWidth")
        self.check(name, "fits a phone", width <= 390, f"{width} pixels wide")
        page.context.close()

    def follow(self):
        "Every link inside the site leads to a page, and to an anchor on it."
        for name, links in self.links.items():
            for link in set(links):
                url = urlsplit(link)
                if url.scheme or url.netloc or link.startswith("javascript:"): continue
                path = normpath(join(dirname(name), unquote(url.path))) if url.path else name
                path = "index.html" if path == "." else path
                self.check(name, f"link {link}", (self.docs / path).exists(), "there is no such file")
                if url.fragment and path in self.ids: self.check(name, f"link {link}", unquote(url.fragment) in self.ids[path], "there is no such anchor")

    def search(self, words, where):
        page, _ = self.open("index.html")
        page.locator("input[type=search]").first.fill(words)
        results = page.locator(".smalldocs-search-results a")
        results.first.wait_for(timeout=10_000)
        found = results.evaluate_all("links => links.map(a => a.getAttribute('href'))")
        self.check("index.html", f"the search for {words!r} finds {where}", any(where in href for href in found), ", ".join(found[:5]))
        page.context.close()


def browse(docs, program):
    from playwright.sync_api import sync_playwright
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=docs))
    Thread(target=server.serve_forever, daemon=True).start()
    with sync_playwright() as p:
        site = Site(docs, p.chromium.launch(executable_path=program, args=FLAGS), f"http://127.0.0.1:{server.server_port}/")
        for name in site.names:
            for look in (site.read, site.in_the_dark, site.on_a_phone): look(name)
        site.follow()
        for words, where in FOUND_BY.items(): site.search(words, where)
    server.shutdown()
    return site


def main(folder=DOCS):
    program = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if not program:
        print("skipped: no Chromium was found, so the site was not looked at")
        return 1 if os.environ.get("CI") else 0
    site = browse(Path(folder).resolve(), program)
    for line in site.wrong: print(line)
    print(f"{len(site.names)} pages, {site.checked:,} checks: {len(site.wrong)} failed")
    return 1 if site.wrong or not site.names else 0


if __name__ == "__main__": sys.exit(main(*sys.argv[1:]))
