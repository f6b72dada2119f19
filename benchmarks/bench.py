"What the benchmarks share: made-up tables, alternating timers, memory, and where results go."

import argparse
import gc
import os
import platform
import resource
import statistics
import sys
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pandas as pd
import sklearn
from rich.console import Console
from rich.table import Table

HERE = Path(__file__).resolve().parent
LETTERS = np.array([*"abcde"])
WORDS = np.array(["red", "green", "dark blue", "off-white", "mother-of-pearl"], dtype=object)


def arguments(doc):
    "The options that every script has."
    parser = argparse.ArgumentParser(description=doc)
    parser.add_argument("--quick", action="store_true", help="small tables, a few seconds; prints, but stores nothing")
    parser.add_argument("--out", type=Path, help="where to store the results (default: benchmarks/results)")
    args = parser.parse_args()
    if args.out is None and not args.quick: args.out = HERE / "results"
    return args


def codes_and_labels(n, d, m, seed, values=5, signal=0.7):
    "Labels 0 … m−1 and categories 0 … values−1, of which a share follows from the label and the rest is uniform: (n, d) and (n,) int64."
    rng = np.random.default_rng(seed)
    y, codes = rng.integers(0, m, n), rng.integers(0, values, (n, d))
    for rows in blocks(n):
        told = (y[rows, None] + np.arange(d)) % values
        codes[rows] = np.where(rng.random(told.shape) < signal, told, codes[rows])
    return codes, y


def blocks(n, size=20_000): return (slice(s, min(s + size, n)) for s in range(0, n, size))


def with_holes(codes, kind, missing=0.2, seed=1):
    "The same table as another kind of input, a share of its cells missing; made block by block, so that making it needs no memory of its own."
    (n, d), rng = codes.shape, np.random.default_rng(seed)
    words = LETTERS if kind == "NumPy U1" else WORDS if "words" in kind else LETTERS.astype(object)
    table = np.empty((n, d), dtype={"float32": np.float32, "NumPy U1": "U1"}.get(kind, object))
    for rows in blocks(n):
        table[rows] = codes[rows] if kind == "float32" else words[codes[rows]]
        table[rows][rng.random((rows.stop - rows.start, d), dtype=np.float32) < missing] = {"float32": np.nan, "NumPy U1": "?"}.get(kind, None)
    if not kind.startswith("DataFrame"): return table
    return pd.DataFrame({f"c{j}": pd.Series(table[:, j], dtype="str") for j in range(d)})


def alternate(programs, rounds):
    "Run the programs in turn, several rounds: name → (list of seconds, list of CPU seconds of all threads)."
    times = {name: ([], []) for name in programs}
    for _ in range(rounds):
        for name, program in programs.items():
            gc.collect()
            wall, cpu = time.perf_counter(), time.process_time()
            program()
            times[name][0].append(time.perf_counter() - wall)
            times[name][1].append(time.process_time() - cpu)
    return times


def seconds(program, rounds=3): return statistics.median(alternate({0: program}, rounds)[0][0])


def peak_allocated(program):
    "Bytes that NumPy and Python hold at most while the program runs, above what they held before. Arrow's own memory is not seen."
    gc.collect()
    tracemalloc.start()
    program()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def peak_resident(program):
    "Bytes by which the process grows at most while the program runs; to be called in a fresh process."
    gc.collect()
    try: Path("/proc/self/clear_refs").write_text("5")  # Linux: set the high-water mark back to what is in use now
    except OSError: pass
    before = high_water()
    program()
    return high_water() - before


def high_water():
    "The most memory that this process ever had. Linux: not from getrusage, where a new process starts with the mark of its parent."
    try: return next(int(line.split()[1]) for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")) * 1024
    except OSError: return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def machine():
    "What the numbers depend on, without saying whose it is."
    return {"cpus": os.cpu_count(), "python": platform.python_version(), "numpy": np.__version__, "pandas": pd.__version__, "sklearn": sklearn.__version__}


def report(title, rows, name, out, columns=None):
    "Print the rows; store them as a CSV, with the machine, and as a table in the README. `columns`: those to show."
    frame = pd.DataFrame(rows)
    shown = frame[columns or list(frame)].map(shorten)
    table = Table(title=title)
    for column in shown: table.add_column(column, justify="right" if frame[column].dtype.kind in "iuf" else "left")
    for row in shown.itertuples(index=False): table.add_row(*row)
    console = Console() if sys.stdout.isatty() else Console(width=140)
    console.print(table)
    console.print(", ".join(f"{k} {v}" for k, v in machine().items()), style="dim")
    if not out: return
    out.mkdir(parents=True, exist_ok=True)
    frame.assign(**machine()).to_csv(out / f"{name}.csv", index=False)
    if out == HERE / "results": update_readme(name, shown)


def shorten(x):
    "A cell as text: three digits that count."
    if isinstance(x, (int, np.integer)): return f"{x:,}"
    if not isinstance(x, float): return str(x)
    return "" if x != x else f"{x:,.0f}" if abs(x) >= 1000 else f"{x:.3g}"


def update_readme(name, shown):
    "Put a table between the marks that bear its name."
    path, begin, end = HERE / "README.md", f"<!-- from results/{name}.csv -->", f"<!-- end of {name}.csv -->"
    lines = [shown.columns.tolist(), ["---"] * shown.shape[1], *shown.to_numpy().tolist()]
    versions = ", ".join(f"{k} {v}" for k, v in machine().items())
    text = "\n".join(f"| {' | '.join(line)} |" for line in lines) + f"\n\nMeasured with {versions}.\n"
    before, _, rest = path.read_text().partition(begin)
    _, _, after = rest.partition(end)
    path.write_text(f"{before}{begin}\n{text}{end}{after}")
