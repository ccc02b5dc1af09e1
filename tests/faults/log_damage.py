"""Ways to damage the log that a killed run leaves beside its results file."""

from pathlib import Path
from random import Random

from tests.faults import damage

FRAME = damage.PAGE + 24


def flip_log_bits(path: Path, rng: Random) -> None:
    damage.flip_bits(log_of(path), rng)


def flip_log_header(path: Path, rng: Random) -> None:
    data = bytearray(log_of(path).read_bytes())
    data[rng.randrange(32)] ^= 1 << rng.randrange(8)
    log_of(path).write_bytes(data)


def truncate_log(path: Path, rng: Random) -> None:
    data = log_of(path).read_bytes()
    log_of(path).write_bytes(data[: rng.choice((0, 31, 32, 32 + FRAME, rng.randrange(len(data))))])


def remove_log(path: Path, rng: Random) -> None:
    log_of(path).unlink()


def swap_frames(path: Path, rng: Random) -> None:
    data = log_of(path).read_bytes()
    frames = [data[i : i + FRAME] for i in range(32, len(data), FRAME)]
    one, two = rng.sample(range(len(frames)), 2)
    frames[one], frames[two] = frames[two], frames[one]
    log_of(path).write_bytes(data[:32] + b"".join(frames))


def append_to_log(path: Path, rng: Random) -> None:
    with log_of(path).open("ab") as file:
        file.write(rng.randbytes(rng.randrange(1, 3 * FRAME)))


def log_of_another_store(path: Path, rng: Random) -> None:
    log_of(path).write_bytes(log_of(path.parent.parent / "other.sqlite").read_bytes())
    path.with_name(path.name + "-shm").unlink()


def damage_index_of_log(path: Path, rng: Random) -> None:
    damage.flip_bits(path.with_name(path.name + "-shm"), rng)


def damage_file_below_log(path: Path, rng: Random) -> None:
    damage.flip_bits(path, rng)


def log_of(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


LOG_DAMAGE: tuple[damage.Damage, ...] = (
    flip_log_bits, flip_log_bits, flip_log_header, truncate_log, remove_log, swap_frames, append_to_log,
    log_of_another_store, damage_index_of_log, damage_file_below_log,
)  # fmt: skip
