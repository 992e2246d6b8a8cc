#!/usr/bin/env python3
"""Who may include whom: holds every #include below src/ against cmake/layers.txt.

    tests/layers/layers.py [REPOSITORY]

Prints one line a violation (file:line: what is wrong) and exits with 1 when there is any. It refuses
  * an include of a module that layers.txt does not allow, or in a form other than "module/file";
  * a foreign library outside the modules that name it, and one that no module names;
  * a module that layers.txt lacks, or one there that has no folder;
  * an arrow in layers.txt that leads up, or sideways to a later line (so there are no circles);
  * a circle of units (foo.h with foo.cc): each needs all the others to be understood;
  * a permission in layers.txt that no file of its module uses;
  * DEPS in a module's CMakeLists.txt that are not its modules of layers.txt;
  * names of modules in src/base/log_levels.h that are not those of layers.txt.
"""

import dataclasses
import pathlib
import re
import sys

import violations

# Headers that are nobody's library: those of POSIX and Linux. C++'s own have no suffix. Abseil is
# the language that all modules share.
SYSTEM_FOLDERS = {"arpa", "linux", "net", "netinet", "sys"}
SYSTEM_FILES = {
    "dirent.h", "dlfcn.h", "errno.h", "fcntl.h", "malloc.h", "netdb.h", "poll.h", "pthread.h", "pwd.h",
    "sched.h", "signal.h", "stdint.h", "stdio.h", "stdlib.h", "string.h", "time.h", "unistd.h",
}
EVERYBODYS = {"absl"}

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')
DEPS = re.compile(r"\bopic_module\(NAME (\w+)\s+DEPS((?:\s+[a-z_0-9]+)*)")
LOGGED = re.compile(r"\bkModules\[\] = \{([^}]*)\}")
LINE = re.compile(r"^(\d+)\s+(\w+)\s*:([^|]*)(?:\|(.*))?$")


@dataclasses.dataclass
class Module:
    name: str
    layer: int
    allowed: set[str]
    libraries: set[str]


def read_layers(text: str) -> tuple[dict[str, Module], list[str]]:
    """The modules of layers.txt in its order, and what is wrong with the file itself."""
    modules: dict[str, Module] = {}
    wrong = []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        match = LINE.match(line)
        if match is None:
            wrong.append(f"layers.txt:{number}: not `layer module : modules | libraries`")
            continue
        layer, name = int(match[1]), match[2]
        allowed = set(match[3].split())
        # Every arrow leads to an earlier line of the same layer or a lower one.
        for other in sorted(allowed):
            if other not in modules:
                wrong.append(f"layers.txt:{number}: {name} may not know {other}: it is not above this line")
            elif modules[other].layer > layer:
                wrong.append(f"layers.txt:{number}: {name} may not know {other}: that is a higher layer")
        modules[name] = Module(name, layer, allowed, set((match[4] or "").split()))
    return modules, wrong


def library_of(path: str) -> str:
    """What a foreign include is called in layers.txt: its first folder, or the file's name."""
    return path.split("/")[0] if "/" in path else path.removesuffix(".h")


def is_system(path: str) -> bool:
    folder = path.split("/")[0] if "/" in path else ""
    return folder in SYSTEM_FOLDERS or path in SYSTEM_FILES or ("." not in path and not folder)


def complaint(module: Module, quoted: bool, path: str, modules: dict[str, Module]) -> str | None:
    """Why `module` may not include `path`; None when it may."""
    first = path.split("/")[0]
    if quoted and (first in modules or "/" not in path):
        if "/" not in path:
            return f'"{path}" is not written from src/'
        if first != module.name and first not in module.allowed:
            return f"{module.name} may not know {first}"
        return None
    if first in EVERYBODYS or is_system(path):
        return None
    library = library_of(path)
    if library in module.libraries:
        return None
    owners = sorted(other.name for other in modules.values() if library in other.libraries)
    if owners:
        return f"<{path}> belongs to {', '.join(owners)}"
    return f"<{path}> is of no library named in layers.txt"


def includes(folder: pathlib.Path):
    """File, line number, whether it is quoted, and path of every #include below a folder."""
    for file in sorted(folder.rglob("*")):
        if file.suffix not in {".h", ".cc"}:
            continue
        for number, line in enumerate(file.read_text().splitlines(), 1):
            if match := INCLUDE.match(line):
                yield file, number, match[1] == '"', match[2]


def needed_units(source: pathlib.Path) -> dict[str, list[str]]:
    """Each unit below src/ ("url/host" is host.h and host.cc), and the other ones it includes."""
    needs: dict[str, set[str]] = {}
    for file, _, quoted, path in includes(source):
        unit = file.relative_to(source).with_suffix("").as_posix()
        other = pathlib.PurePosixPath(path).with_suffix("").as_posix()
        if quoted and other != unit:
            needs.setdefault(unit, set()).add(other)
    return {unit: sorted(others) for unit, others in sorted(needs.items())}


def way(needs: dict[str, list[str]], start: str, goal: str) -> list[str] | None:
    """The shortest way along includes from `start` to `goal`, both named; None: there is none."""
    ways = [[start]]
    seen = {start}
    for so_far in ways:  # grows while it is walked
        if so_far[-1] == goal:
            return so_far
        for other in needs.get(so_far[-1], []):
            if other not in seen:
                seen.add(other)
                ways.append([*so_far, other])
    return None


def circles(repository: pathlib.Path) -> list[str]:
    """The units that lead back to themselves: each circle once."""
    needs = needed_units(repository / "src")
    found, seen = [], set()
    for unit, others in needs.items():
        for other in others:
            back = way(needs, other, unit)
            if back is not None and frozenset(back) not in seen:
                seen.add(frozenset(back))
                found.append(f"src/{unit}: in a circle: {' -> '.join([unit, *back])}")
    return found


def unused(repository: pathlib.Path) -> list[str]:
    """The permissions of layers.txt that nobody needs."""
    modules, _ = read_layers((repository / "cmake/layers.txt").read_text())
    idle = []
    for module in modules.values():
        used = set()
        for _, _, _, path in includes(repository / "src" / module.name):
            used |= {path.split("/")[0], library_of(path)}
        for other in sorted((module.allowed | module.libraries) - used):
            idle.append(f"layers.txt: {module.name} may know {other}, and does not")
    return idle


def linked(repository: pathlib.Path) -> list[str]:
    """The modules that CMake links to a module, against layers.txt. Generated code (proto) is no module."""
    modules, _ = read_layers((repository / "cmake/layers.txt").read_text())
    wrong = []
    for module in modules.values():
        file = repository / "src" / module.name / "CMakeLists.txt"
        match = DEPS.search(file.read_text()) if file.is_file() else None
        deps = (set(match[2].split()) if match else set()) & modules.keys()
        where = f"src/{module.name}/CMakeLists.txt"
        wrong += [f"{where}: DEPS has {other}, which it does not include" for other in sorted(deps - module.allowed)]
        if file.is_file():
            wrong += [f"{where}: DEPS lacks {other}" for other in sorted(module.allowed - deps)]
    return wrong


def check(repository: pathlib.Path) -> list[str]:
    modules, wrong = read_layers((repository / "cmake/layers.txt").read_text())
    source = repository / "src"
    folders = {folder.name for folder in source.iterdir() if folder.is_dir()}
    wrong += [f"src/{name}: not in layers.txt" for name in sorted(folders - set(modules))]
    wrong += [f"layers.txt: no folder src/{name}" for name in sorted(set(modules) - folders)]
    for name in sorted(folders & set(modules)):
        for file, number, quoted, path in includes(source / name):
            why = complaint(modules[name], quoted, path, modules)
            if why is not None:
                wrong.append(f"{file.relative_to(repository)}:{number}: {why}")
    return wrong


def logged(repository: pathlib.Path) -> list[str]:
    """The modules that may have a level of the log, against layers.txt."""
    modules, _ = read_layers((repository / "cmake/layers.txt").read_text())
    where = "src/base/log_levels.h"
    file = repository / where
    listed = LOGGED.search(file.read_text()) if file.is_file() else None
    names = set(re.findall(r'"(\w+)"', listed[1])) if listed else set(modules)
    return ([f"{where}: kModules lacks {name}" for name in sorted(modules.keys() - names)] +
            [f"{where}: kModules has {name}, which is no module" for name in sorted(names - modules.keys())])


def check_all(repository: pathlib.Path) -> list[str]:
    return check(repository) + circles(repository) + unused(repository) + linked(repository) + logged(repository)


if __name__ == "__main__":
    sys.exit(violations.main(check_all))
