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
STATUS = Path("/proc/self/status")
CLEAR_REFS = Path("/proc/self/clear_refs")


def arguments(doc, quick="small tables, a few seconds; prints, but stores nothing", **more):
    "The options that every script has, and `more` of its own: name → help."
    parser = argparse.ArgumentParser(description=doc)
    for name, text in more.items():
        parser.add_argument(f"--{name.replace('_', '-')}", metavar="PATH", help=text)
    parser.add_argument("--quick", action="store_true", help=quick)
    parser.add_argument("--out", type=Path, help="where to store results (default: benchmarks/results)")
    args = parser.parse_args()
    if args.out is None and not args.quick:
        args.out = HERE / "results"
    return args


# ---- made-up tables


def codes_and_labels(n, d, m, seed, values=5, signal=0.7):
    """Categories 0 … values−1 and labels 0 … m−1: (n, d) and (n,) int64.

    A share of the categories follows from the label, the rest is uniform."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, m, n)
    codes = rng.integers(0, values, (n, d))
    for rows in blocks(n):
        told = (y[rows, None] + np.arange(d)) % values
        follows = rng.random(told.shape) < signal
        codes[rows] = np.where(follows, told, codes[rows])
    return codes, y


def blocks(n, size=20_000):
    "Slices of rows."
    return (slice(start, min(start + size, n)) for start in range(0, n, size))


def words_of(kind):
    "What the codes 0 … 4 are called."
    if kind == "NumPy U1": return LETTERS
    return WORDS if "words" in kind else LETTERS.astype(object)


def with_holes(codes, kind, missing=0.2, seed=1):
    """The same table as another kind of input, a share of its cells missing.

    Made block by block, so that making it needs no memory of its own."""
    n, d = codes.shape
    rng = np.random.default_rng(seed)
    words = words_of(kind)
    dtype = {"float32": np.float32, "NumPy U1": "U1"}.get(kind, object)
    hole = {"float32": np.nan, "NumPy U1": "?"}.get(kind)
    table = np.empty((n, d), dtype=dtype)
    for rows in blocks(n):
        table[rows] = codes[rows] if kind == "float32" else words[codes[rows]]
        chance = rng.random((rows.stop - rows.start, d), dtype=np.float32)
        table[rows][chance < missing] = hole
    if not kind.startswith("DataFrame"): return table
    return pd.DataFrame({f"c{j}": pd.Series(table[:, j], dtype="str") for j in range(d)})


# ---- time


def alternate(programs, rounds):
    "Run the programs in turn, several rounds: name → lists of seconds and of CPU seconds of all threads."
    times = {name: ([], []) for name in programs}
    for _ in range(rounds):
        for name, program in programs.items():
            gc.collect()
            wall = time.perf_counter()
            cpu = time.process_time()
            program()
            times[name][0].append(time.perf_counter() - wall)
            times[name][1].append(time.process_time() - cpu)
    return times


def seconds(program, rounds=3):
    "The median of several runs."
    wall, _ = alternate({"it": program}, rounds)["it"]
    return statistics.median(wall)


# ---- memory


def peak_allocated(program):
    """Bytes that NumPy and Python hold at most while the program runs, above what they held before.

    Arrow's own memory is not seen."""
    gc.collect()
    tracemalloc.start()
    program()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def peak_resident(program):
    "Bytes by which the process grows at most meanwhile; to be called in a fresh process."
    gc.collect()
    lower_high_water()
    before = high_water()
    program()
    return high_water() - before


def lower_high_water():
    "Linux: set the high-water mark back to what is in use now."
    try:
        CLEAR_REFS.write_text("5")
    except OSError:
        pass


def high_water():
    """The most memory, in bytes, that this process ever had.

    Linux: not from getrusage, where a new process starts with the mark of its parent."""
    try:
        lines = STATUS.read_text().splitlines()
    except OSError:
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    mark = next(line for line in lines if line.startswith("VmHWM"))
    return int(mark.split()[1]) * 1024


# ---- results


def machine():
    "What the numbers depend on, without saying whose it is."
    return {
        "cpus": os.cpu_count(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "pandas": pd.__version__,
        "sklearn": sklearn.__version__,
    }


def machine_in_words():
    return ", ".join(f"{name} {value}" for name, value in machine().items())


def report(title, rows, name, out, columns=None):
    "Print the rows (their `columns`); store them, with the machine, as a CSV and in the README."
    frame = pd.DataFrame(rows)
    shown = frame[columns or list(frame)].map(shorten)
    print_table(title, frame, shown)
    if not out: return
    out.mkdir(parents=True, exist_ok=True)
    frame.assign(**machine()).to_csv(out / f"{name}.csv", index=False)
    if out == HERE / "results":
        update_readme(name, shown)


def print_table(title, frame, shown):
    "Numbers stand at the right."
    table = Table(title=title)
    for column in shown:
        is_number = frame[column].dtype.kind in "iuf"
        table.add_column(column, justify="right" if is_number else "left")
    for row in shown.itertuples(index=False):
        table.add_row(*row)
    console = Console() if sys.stdout.isatty() else Console(width=140)
    console.print(table)
    console.print(machine_in_words(), style="dim")


def shorten(x):
    "A cell as text: three digits that count."
    if isinstance(x, (int, np.integer)): return f"{x:,}"
    if not isinstance(x, float): return str(x)
    if np.isnan(x): return ""
    return f"{x:,.0f}" if abs(x) >= 1000 else f"{x:.3g}"


def update_readme(name, shown):
    "Put a table between the marks that bear its name."
    path = HERE / "README.md"
    begin = f"<!-- from results/{name}.csv -->"
    end = f"<!-- end of {name}.csv -->"
    lines = [shown.columns.tolist(), ["---"] * shown.shape[1], *shown.to_numpy().tolist()]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    before, _, rest = path.read_text().partition(begin)
    _, _, after = rest.partition(end)
    new = f"{begin}\n{table}\n\nMeasured with {machine_in_words()}.\n{end}"
    path.write_text(before + new + after)


# ---- what is told beside the results


def found_sets(names, is_there):
    "The names of the tables that are there; what is not is said."
    absent = [name for name in names if not is_there(name)]
    if absent:
        print("not found in NBROBUST_DATA, left out:", ", ".join(absent))
    return [name for name in names if name not in absent]
