"""Count Parquet files in engines: the time against SQL written by hand, and the memory, as the rows grow to 100 million.

usage: python benchmarks/engines.py [--quick]
Needs `pip install -e '.[duckdb,dask]' polars` and, for 100 million rows, 1 GB in the folder for temporary files."""

import subprocess
import sys
import tempfile
from pathlib import Path

import dask.dataframe as dd
import duckdb
import polars as pl

from bench import HERE, alternate, arguments, report
from nbrobust.bayes.engines import count_table

COLUMNS = [f"c{j}" for j in range(10)]
FILE = 10_000_000  # rows in a file


def generate(folder, n):
    "Files of 10 million rows each, but for the last; those that are there are kept. The pattern that means them."
    for start in range(0, n, FILE):
        path = Path(folder) / f"part-{start // FILE:03}-{min(n, start + FILE)}.parquet"
        if not path.exists(): write(path, start, min(n, start + FILE))
    return str(Path(folder) / "*.parquet")


def write(path, start, stop):
    "A table of 10 columns, 3 labels and 20 % of holes: half of the columns are words, half are numbers, of 5 values each."
    word = lambda j: f"['red', 'green', 'dark blue', 'off-white', 'mother-of-pearl'][1 + (hash(i * 31 + {j}) % 5)::INT]"
    cells = ", ".join(f"CASE WHEN hash(i * 20 + {j}) % 5 > 0 THEN {word(j) if j % 2 else f'(hash(i * 31 + {j}) % 5)::BIGINT'} END AS c{j}" for j in range(10))
    labels = "['no', 'yes', 'perhaps'][1 + (hash(i) % 3)::INT]"
    con = duckdb.connect(config={"memory_limit": "2GB"})
    con.execute(f"COPY (SELECT {labels} AS y, {cells} FROM range({start}, {stop}) t(i)) TO '{path}' (FORMAT parquet)")


def by_hand(path):
    "What somebody would write who wants the counts and knows SQL."
    con = duckdb.connect()
    return [con.execute(f"SELECT y, {c}, count(*) FROM '{path}' GROUP BY y, {c}").fetchall() for c in COLUMNS]


def grouping_sets(path):
    "All columns in one query."
    sets = ", ".join(f"(y, {c})" for c in COLUMNS)
    return duckdb.connect().execute(f"SELECT y, {', '.join(COLUMNS)}, grouping({', '.join(COLUMNS)}), count(*) FROM '{path}' GROUP BY GROUPING SETS ({sets})").fetchall()


def unpivot(path):
    "One column of all values, as text."
    texts = ", ".join(f"{c}::VARCHAR AS {c}" for c in COLUMNS)
    return duckdb.connect().execute(f"SELECT y, name, v, count(*) FROM (FROM (SELECT y, {texts} FROM '{path}') UNPIVOT INCLUDE NULLS (v FOR name IN ({', '.join(COLUMNS)}))) GROUP BY ALL").fetchall()


def dask_groupby(path):
    "Dask's own group-by of each column, computed together."
    import dask
    frame = dd.read_parquet(path, split_row_groups=True)
    return dask.compute(*(frame.groupby(["y", c], dropna=False, observed=True).size() for c in COLUMNS))


def with_duckdb(path): return count_table(path, "y")
def with_polars(path): return count_table(pl.scan_parquet(path), "y")
def with_dask(path): return count_table(dd.read_parquet(path, split_row_groups=True), "y")


def resident(program, path):
    "Bytes by which a fresh process grows while it counts."
    code = f"import sys; sys.path.insert(0, {str(HERE)!r}); import engines; from bench import peak_resident; print(peak_resident(lambda: engines.{program.__name__}({path!r})))"
    return int(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()[-1])


def check(path, counts):
    "Ours are the numbers of the query by hand."
    for j, groups in enumerate(by_hand(path)):
        for label, value, n in groups:
            i = counts.classes.tolist().index(label)
            assert n == (counts.M[i, j] if value is None else counts.E[j][i, counts.lookups[j][value]])


def grow(folder, n, rounds):
    "One row of the first table."
    path = generate(folder, n)
    check(path, with_duckdb(path))
    times = alternate({"hand": lambda: by_hand(path), "ours": lambda: with_duckdb(path)}, rounds)
    (hand, cpu_hand), (ours, cpu) = ([sorted(t)[rounds // 2] for t in times[k]] for k in ("hand", "ours"))
    return {"rows": n, "files MB": sum(f.stat().st_size for f in Path(folder).iterdir()) / 1e6, "by hand s": hand, "count_table s": ours, "ratio": ours / hand, "ratio of CPU": cpu / cpu_hand,
            "s per million rows": ours / n * 1e6, "resident MB": resident(with_duckdb, path) / 1e6, "resident by hand MB": resident(by_hand, path) / 1e6}


def ways(path, n, rounds):
    "The second table: every way of asking, on one file."
    programs = {"DuckDB: a query a column, by hand": by_hand, "DuckDB: count_table": with_duckdb, "DuckDB: GROUPING SETS": grouping_sets, "DuckDB: UNPIVOT": unpivot,
                "Polars: count_table": with_polars, "Dask: count_table": with_dask, "Dask: groupby": dask_groupby}
    times = alternate({name: (lambda p=p: p(path)) for name, p in programs.items()}, rounds)
    return [{"way": name, "rows": n, "seconds": sorted(wall)[rounds // 2], "CPU seconds": sorted(cpu)[rounds // 2], "resident MB": resident(programs[name], path) / 1e6}
            for name, (wall, cpu) in times.items()]


def main():
    args = arguments(__doc__)
    sizes, n = ((100_000, 300_000), 100_000) if args.quick else ((1_000_000, 3_000_000, 10_000_000, 30_000_000, 100_000_000), FILE)
    with tempfile.TemporaryDirectory() as folder:
        report("ways to count", ways(generate(folder, n), n, 3), "engines_ways", args.out)
    results = []
    with tempfile.TemporaryDirectory() as whole:
        for n in sizes:
            with tempfile.TemporaryDirectory() as small: results.append(grow(whole if n >= FILE else small, n, 3))
    report("count_table of Parquet files against SQL by hand", results, "engines", args.out)


if __name__ == "__main__": main()
