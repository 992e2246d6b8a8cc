"""Random damage of the files of a data folder: what disks, copies and power cuts do to them.

A damage is a function (path, rng) that says in a few words what it did, or None where it has nothing to do with this
file. All randomness comes from `rng`, so that a seed repeats a damage.
"""
import shutil
from pathlib import Path

BLOCK = 32768  # of RocksDB's log format: logs and MANIFEST
HEADER = 7


def record_ends(data):
    """Where the records of a file of RocksDB's log format end."""
    ends, at = [], 0
    while at + HEADER <= len(data):
        left = BLOCK - at % BLOCK
        if left < HEADER:
            at += left
            continue
        length = int.from_bytes(data[at + 4:at + 6], "little")
        if data[at + 6] == 0 and length == 0:  # preallocated
            break
        at += HEADER + length
        ends.append(at)
    return [end for end in ends if end <= len(data)]


def has_records(path):
    return path.name.startswith("MANIFEST") or path.suffix == ".log"


def flip(path, rng):
    data = bytearray(path.read_bytes())
    if not data:
        return None
    places = sorted(rng.randrange(len(data)) for _ in range(rng.choice((1, 1, 1, 3, 20))))
    for place in places:
        data[place] ^= rng.randrange(1, 256)
    path.write_bytes(data)
    return f"{len(places)} bytes changed, first at {places[0]} of {len(data)}"


def cut(path, rng):
    data = path.read_bytes()
    if not data:
        return None
    keep = rng.randrange(len(data))
    path.write_bytes(data[:keep])
    return f"cut from {len(data)} to {keep} bytes"


def cut_at_record(path, rng):
    if not has_records(path):
        return None
    data = path.read_bytes()
    ends = [0] + record_ends(data)[:-1]
    if len(ends) < 2:
        return None
    keep = rng.choice(ends[-12:]) if rng.random() < 0.5 else rng.choice(ends)
    path.write_bytes(data[:keep])
    return f"cut from {len(data)} to {keep} bytes, the end of a record"


def remove(path, _rng):
    path.unlink()
    return "removed"


def zero(path, rng):
    data = bytearray(path.read_bytes())
    if not data:
        return None
    size = rng.choice((512, 4096))
    begin = rng.randrange(len(data)) // size * size
    end = min(len(data), begin + size)
    if not any(data[begin:end]):
        return None
    data[begin:end] = bytes(end - begin)
    path.write_bytes(data)
    return f"bytes {begin} to {end} of {len(data)} zeroed"


def sibling(path, rng):
    """Another file of the same kind in the same folder."""
    kind = (lambda other: other.name.startswith("MANIFEST")) if path.name.startswith("MANIFEST") else (
        lambda other: other.suffix == path.suffix)
    others = [other for other in sorted(path.parent.iterdir()) if other.is_file() and other != path and kind(other)]
    return rng.choice(others) if others else None


def swap(path, rng):
    other = sibling(path, rng)
    if other is None:
        return None
    mine, its = path.read_bytes(), other.read_bytes()
    if mine == its:
        return None
    path.write_bytes(its)
    other.write_bytes(mine)
    return f"swapped with {other.name}"


def overwrite(path, rng):
    """Lost writes: the file is another one of its kind."""
    other = sibling(path, rng)
    if other is None or other.read_bytes() == path.read_bytes():
        return None
    shutil.copyfile(other, path)
    return f"overwritten by {other.name}"


def duplicate(path, rng):
    digits = [part for part in path.stem.split("-")[-1:] if part.isdigit()]
    if digits:
        number = int(digits[0]) + rng.choice((1, 2, 7, 50))
        name = path.name.replace(digits[0], str(number).zfill(len(digits[0])))
    else:
        name = path.name + ".copy"
    if (path.parent / name).exists():
        return None
    shutil.copyfile(path, path.parent / name)
    return f"copied to {name}"


KINDS = {"flip": flip, "cut": cut, "cut at a record": cut_at_record, "remove": remove, "zero": zero, "swap": swap,
         "overwrite": overwrite, "duplicate": duplicate}


def category(path, folder):
    """What a file is, for choosing and for the table; None: not data (locks, the log)."""
    part = Path(path).relative_to(folder)
    top, name = part.parts[0], part.name
    if name in ("opic.lock", "LOCK", "node.address", "opic.log") or name.startswith("LOG"):
        return None
    if top == "checkpoints":
        return "checkpoint"
    if top not in ("store", "scheduler"):
        return name
    where = "" if top == "store" else "scheduler's "
    if name.startswith("MANIFEST"):
        return where + "MANIFEST"
    if name.startswith("OPTIONS"):
        return where + "OPTIONS"
    if name.endswith(".log"):
        return where + "log"
    if name.endswith(".sst"):
        return where + "SST"
    return where + name


def remove_folder(folder, rng):
    name = rng.choice([sub.name for sub in folder.iterdir() if sub.is_dir()])
    shutil.rmtree(folder / name)
    return name + "/", "remove", "the whole folder removed"


def damage(folder, rng):
    """Damages one file of `folder`; (category, kind, what was done)."""
    folder = Path(folder)
    if rng.random() < 0.02:
        return remove_folder(folder, rng)
    by_category = {}
    for path in sorted(folder.rglob("*")):
        kind = category(path, folder) if path.is_file() else None
        if kind is not None:
            by_category.setdefault(kind, []).append(path)
    while True:
        chosen = rng.choice(sorted(by_category))
        path = rng.choice(by_category[chosen])
        kind = rng.choice(sorted(KINDS))
        done = KINDS[kind](path, rng)
        if done is not None:
            return chosen, kind, f"{path.relative_to(folder)}: {done}"
