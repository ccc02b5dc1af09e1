"""Ways to damage a results file: each changes a copy at a place that a random generator draws."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random

PAGE = 4096
Damage = Callable[[Path, Random], None]


def flip_bits(path: Path, rng: Random, first: int = 0) -> None:
    data = bytearray(path.read_bytes())
    for _ in range(rng.choice((1, 1, 1, 8, 64))):
        data[rng.randrange(min(first, len(data) - 1), len(data))] ^= 1 << rng.randrange(8)
    path.write_bytes(data)


def flip_header_bits(path: Path, rng: Random) -> None:
    data = bytearray(path.read_bytes())
    data[rng.randrange(108)] ^= 1 << rng.randrange(8)
    path.write_bytes(data)


def truncate(path: Path, rng: Random) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: rng.choice((0, 1, 99, 511, PAGE, rng.randrange(len(data))))])


def zero_page(path: Path, rng: Random) -> None:
    _replace_page(path, rng, bytes(PAGE))


def random_page(path: Path, rng: Random) -> None:
    _replace_page(path, rng, rng.randbytes(PAGE))


def _replace_page(path: Path, rng: Random, page: bytes) -> None:
    data = bytearray(path.read_bytes())
    start = PAGE * rng.randrange(len(data) // PAGE)
    data[start : start + PAGE] = page
    path.write_bytes(data)


def swap_pages(path: Path, rng: Random) -> None:
    data = path.read_bytes()
    pages = [data[i : i + PAGE] for i in range(0, len(data), PAGE)]
    one, two = rng.sample(range(len(pages)), 2)
    pages[one], pages[two] = pages[two], pages[one]
    path.write_bytes(b"".join(pages))


def append_bytes(path: Path, rng: Random) -> None:
    with path.open("ab") as file:
        file.write(rng.randbytes(rng.randrange(1, 3 * PAGE)))


def another_file(path: Path, rng: Random) -> None:
    path.write_bytes(
        rng.choice((rng.randbytes(20_000), b"problem,method\n" * 500, b"SQLite format 3\0" * 400))
    )


def delete_rows(path: Path, rng: Random) -> None:
    table = rng.choice(("results", "results", "failures", "environments", "worst_regrets", "seals"))
    _change(path, f"DELETE FROM {table} WHERE rowid IN (SELECT rowid FROM {table} ORDER BY random() LIMIT 1)")


def copy_row(path: Path, rng: Random) -> None:
    columns = (
        "problem, method, protocol, seed, status, normalized_regret, cell, regret, worst, details, "
        "environment, checksum"
    )
    _change(
        path,
        f"INSERT INTO results (key, {columns}) SELECT ?, {columns} FROM results ORDER BY random() LIMIT 1",
        f"{rng.getrandbits(64):016x}",
    )


def rename_key(path: Path, rng: Random) -> None:
    _change_one(path, rng.choice(("results", "failures")), "key", f"{rng.getrandbits(64):016x}")


def swap_keys(path: Path, rng: Random) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        (one, a), (two, b) = db.execute("SELECT rowid, key FROM results ORDER BY random() LIMIT 2").fetchall()
        for key, row in (("", one), (a, two), (b, one)):
            db.execute("UPDATE results SET key = ? WHERE rowid = ?", (key, row))


def edit_json(path: Path, rng: Random) -> None:
    table, column = rng.choice(
        (("results", "cell"), ("results", "details"), ("failures", "details"), ("environments", "facts"))
    )
    with closing(sqlite3.connect(path)) as db, db:
        query = f"SELECT rowid, {column} FROM {table} ORDER BY random() LIMIT 1"
        rowid, text = db.execute(query).fetchone()
        place = rng.randrange(len(text))
        other = rng.choice([sign for sign in '0179"{}[]x,' if sign != text[place]])
        changed = rng.choice((text[:place] + other + text[place + 1 :], "[]", "null", text[:place]))
        db.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (changed, rowid))


def edit_blob(path: Path, rng: Random) -> None:
    table, column = rng.choice((("results", "regret"), ("worst_regrets", "packed")))
    with closing(sqlite3.connect(path)) as db, db:
        query = f"SELECT rowid, {column} FROM {table} WHERE {column} IS NOT NULL ORDER BY random() LIMIT 1"
        rowid, blob = db.execute(query).fetchone()
        data = bytearray(blob)
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        changed = rng.choice((bytes(data), bytes(data)[: len(data) // 2], b"", "text"))
        db.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (changed, rowid))


def edit_column(path: Path, rng: Random) -> None:
    choices = {"problem": "q", "method": "other", "protocol": "tuned", "seed": 999, "normalized_regret": 0.0}
    column = rng.choice(list(choices))
    _change_one(path, "results", column, choices[column])


def wrong_type(path: Path, rng: Random) -> None:
    table = rng.choice(("results", "failures"))
    columns = ["key", "problem", "method", "cell", "details", "environment", "checksum"]
    more = ["seed", "protocol", "normalized_regret"] if table == "results" else ["attempts"]
    _change_one(path, table, rng.choice(columns + more), rng.choice((b"\xff\xfe", 7, 2.5, "text", b"")))


def edit_attempts(path: Path, rng: Random) -> None:
    _change_one(path, "failures", "attempts", rng.randrange(50, 99))


def edit_seal(path: Path, rng: Random) -> None:
    column, value = rng.choice((("rows", 1), ("rows", "many"), ("digest", "0" * 16), ("digest", b"\xff")))
    _change_one(path, "seals", column, value)


def drop_table(path: Path, rng: Random) -> None:
    names = ("results", "failures", "environments", "worst_regrets", "runs", "seals")
    _change(path, f"DROP TABLE {rng.choice(names)}")


def add_table(path: Path, rng: Random) -> None:
    _change(path, f"CREATE TABLE extra_{rng.randrange(9)} (x)")


def drop_column(path: Path, rng: Random) -> None:
    _change(
        path, f"ALTER TABLE results DROP COLUMN {rng.choice(('protocol', 'seed', 'details', 'checksum'))}"
    )


def change_version(path: Path, rng: Random) -> None:
    _change(path, f"PRAGMA user_version = {rng.choice((-1, 0, 1, 2, 3, 4, 5, 7, 99))}")


def change_application(path: Path, rng: Random) -> None:
    _change(path, f"PRAGMA application_id = {rng.choice((0, 1, 0x64666C63))}")


def _change_one(path: Path, table: str, column: str, value: object) -> None:
    """Give one row, drawn at random, another value in a column."""
    draw = f"SELECT rowid FROM {table} ORDER BY random() LIMIT 1"
    _change(path, f"UPDATE OR IGNORE {table} SET {column} = ? WHERE rowid = ({draw})", value)


def _change(path: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(statement, values)


FILE_DAMAGE: tuple[Damage, ...] = (
    flip_bits, flip_bits, flip_header_bits, truncate, zero_page, random_page, swap_pages, append_bytes,
    another_file, delete_rows, copy_row, rename_key, swap_keys, edit_json, edit_blob, edit_column, wrong_type,
    edit_attempts, edit_seal, drop_table, add_table, drop_column, change_version, change_application,
)  # fmt: skip
