"""Count Parquet files in engines: the time against SQL written by hand, and the memory, as the
rows grow to 100 million.

usage: python benchmarks/engines.py [--quick]
Needs `pip install -e '.[duckdb,dask]' polars` and, for 100 million rows, 1 GB in the folder for
temporary files."""

import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import dask
import dask.dataframe as dd
import duckdb
import polars as pl

from bench import HERE, alternate, arguments, report
from nbrobust.bayes.engines import count_table

COLUMNS = [f"c{j}" for j in range(10)]
FILE = 10_000_000  # rows in a file
SIZES = (1_000_000, 3_000_000, 10_000_000, 30_000_000, 100_000_000)
WORDS = "['red', 'green', 'dark blue', 'off-white', 'mother-of-pearl']"
LABELS = "['no', 'yes', 'perhaps']"


# ---- files


def generate(folder, n):
    """Files of 10 million rows each, but for the last; those that are there are kept.

    Returns the pattern that means them."""
    for start in range(0, n, FILE):
        stop = min(n, start + FILE)
        path = Path(folder) / f"part-{start // FILE:03}-{stop}.parquet"
        if not path.exists():
            write(path, start, stop)
    return str(Path(folder) / "*.parquet")


def write(path, start, stop):
    "Half of the columns are words, half are numbers, of 5 values each; 3 labels, 20 % of holes."
    cells = ", ".join(f"{cell(j)} AS c{j}" for j in range(len(COLUMNS)))
    label = f"{LABELS}[1 + (hash(i) % 3)::INT]"
    rows = f"SELECT {label} AS y, {cells} FROM range({start}, {stop}) t(i)"
    con = duckdb.connect(config={"memory_limit": "2GB"})
    con.execute(f"COPY ({rows}) TO '{path}' (FORMAT parquet)")


def cell(j):
    "The value of column j in row i, in SQL."
    code = f"hash(i * 31 + {j}) % 5"
    value = f"{WORDS}[1 + ({code})::INT]" if j % 2 else f"({code})::BIGINT"
    return f"CASE WHEN hash(i * 20 + {j}) % 5 > 0 THEN {value} END"


# ---- ways to count


def by_hand(path):
    "What somebody would write who wants the counts and knows SQL."
    con = duckdb.connect()
    queries = [f"SELECT y, {c}, count(*) FROM '{path}' GROUP BY y, {c}" for c in COLUMNS]
    return [con.execute(query).fetchall() for query in queries]


def grouping_sets(path):
    "All columns in one query."
    names = ", ".join(COLUMNS)
    sets = ", ".join(f"(y, {c})" for c in COLUMNS)
    selected = f"SELECT y, {names}, grouping({names}), count(*) FROM '{path}'"
    return duckdb.connect().execute(f"{selected} GROUP BY GROUPING SETS ({sets})").fetchall()


def unpivot(path):
    "One column of all values, as text."
    names = ", ".join(COLUMNS)
    texts = ", ".join(f"{c}::VARCHAR AS {c}" for c in COLUMNS)
    table = f"(SELECT y, {texts} FROM '{path}')"
    cells = f"FROM {table} UNPIVOT INCLUDE NULLS (v FOR name IN ({names}))"
    query = f"SELECT y, name, v, count(*) FROM ({cells}) GROUP BY ALL"
    return duckdb.connect().execute(query).fetchall()


def dask_groupby(path):
    "Dask's own group-by of each column, computed together."
    frame = dd.read_parquet(path, split_row_groups=True)
    groups = [frame.groupby(["y", c], dropna=False, observed=True).size() for c in COLUMNS]
    return dask.compute(*groups)


def with_duckdb(path): return count_table(path, "y")


def with_polars(path): return count_table(pl.scan_parquet(path), "y")


def with_dask(path): return count_table(dd.read_parquet(path, split_row_groups=True), "y")


WAYS = {
    "DuckDB: a query a column, by hand": by_hand,
    "DuckDB: count_table": with_duckdb,
    "DuckDB: GROUPING SETS": grouping_sets,
    "DuckDB: UNPIVOT": unpivot,
    "Polars: count_table": with_polars,
    "Dask: count_table": with_dask,
    "Dask: groupby": dask_groupby,
}


# ---- measuring


def resident(program, path):
    "Megabytes by which a fresh process grows while it counts."
    code = "\n".join([
        f"import sys; sys.path.insert(0, {str(HERE)!r})",
        "import engines",
        "from bench import peak_resident",
        f"print(peak_resident(lambda: engines.{program.__name__}({path!r})))",
    ])
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return int(done.stdout.split()[-1]) / 1e6


def check(path, counts):
    "Ours are the numbers of the query by hand."
    labels = counts.classes.tolist()
    for j, groups in enumerate(by_hand(path)):
        for label, value, n in groups:
            i = labels.index(label)
            ours = counts.M[i, j] if value is None else counts.E[j][i, counts.lookups[j][value]]
            assert n == ours


def time_ways(ways, path, rounds):
    "Name → medians of seconds and of CPU seconds."
    times = alternate({name: partial(program, path) for name, program in ways.items()}, rounds)
    return {name: [sorted(t)[rounds // 2] for t in both] for name, both in times.items()}


def compare_ways(path, n, rounds):
    "The first table: every way of asking, on one file."
    rows = []
    for name, (wall, cpu) in time_ways(WAYS, path, rounds).items():
        rows.append({"way": name, "rows": n, "seconds": wall, "CPU seconds": cpu,
                     "resident MB": resident(WAYS[name], path)})
    return rows


def grow(folder, n, rounds):
    "One row of the second table."
    path = generate(folder, n)
    check(path, with_duckdb(path))
    times = time_ways({"hand": by_hand, "ours": with_duckdb}, path, rounds)
    hand, hand_cpu = times["hand"]
    ours, ours_cpu = times["ours"]
    size = sum(file.stat().st_size for file in Path(folder).iterdir())
    return {
        "rows": n,
        "files MB": size / 1e6,
        "by hand s": hand,
        "count_table s": ours,
        "ratio": ours / hand,
        "ratio of CPU": ours_cpu / hand_cpu,
        "s per million rows": ours / n * 1e6,
        "resident MB": resident(with_duckdb, path),
        "resident by hand MB": resident(by_hand, path),
    }


def main():
    args = arguments(__doc__)
    n, sizes = (100_000, (100_000, 300_000)) if args.quick else (FILE, SIZES)
    with tempfile.TemporaryDirectory() as folder:
        report("ways to count", compare_ways(generate(folder, n), n, 3), "engines_ways", args.out)
    results = []
    with tempfile.TemporaryDirectory() as whole:
        for n in sizes:
            with tempfile.TemporaryDirectory() as small:
                folder = whole if n >= FILE else small
                results.append(grow(folder, n, 3))
    report("count_table of Parquet files against SQL by hand", results, "engines", args.out)


if __name__ == "__main__": main()
