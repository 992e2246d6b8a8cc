"""Every call of our programs that the deployment files and the documents contain, with its environment."""
import re
import shlex
from collections import namedtuple
from pathlib import Path

import yaml

import compose

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ("opic", "opic-node", "opic-scheduler")

# `words` without the program; `beside` are other programs that run with the same variables.
Call = namedtuple("Call", "where program words variables beside")


def call(where, words, variables=(), beside=()):
    program = Path(words[0]).name
    return Call(where, program, [str(word) for word in words[1:]], sorted(variables), tuple(beside))


def in_script(text):
    """The calls of `opic` in a shell script."""
    for line in text.replace("\\\n", " ").splitlines():
        for part in re.split(r"\|\||&&|;|\|", line):
            words = shlex.split(part, comments=True)
            if words and words[0] in PROGRAMS:
                yield words


def of_compose():
    told = {"OPIC_CONTACT": "you@example.org"}
    for name, service in compose.load(ROOT / "docker-compose.yml", told)["services"].items():
        where = f"docker-compose.yml, {name}"
        entry = service.get("entrypoint", ["opic-node"])  # of the image
        words = entry + service.get("command", [])
        if entry[0] == "/bin/sh":
            for inner in in_script(service["command"][0]):
                yield call(where, inner)
            continue
        check = service.get("healthcheck", {}).get("test", [])[1:]
        variables = service.get("environment", {})
        yield call(where, words, variables, {"opic"} if check else ())
        if check:
            yield call(where + ", healthcheck", check, variables)


def of_image():
    text = (ROOT / "deploy/Dockerfile").read_text()
    for words in re.findall(r"(?:ENTRYPOINT|CMD) (\[.*\])", text):
        yield call("deploy/Dockerfile", yaml.safe_load(words))


def of_units():
    for path in sorted((ROOT / "deploy/systemd").glob("*.service")):
        variables, calls = [], []
        for line in path.read_text().splitlines():
            key, _, value = line.partition("=")
            if key == "Environment":
                variables += [word.partition("=")[0] for word in shlex.split(value)]
            if key.startswith("Exec"):
                calls.append(shlex.split(value))
        for words in calls:
            yield call(f"deploy/systemd/{path.name}", words, variables)


def of_container(where, container):
    variables = [variable["name"] for variable in container.get("env", [])]
    hooks = [(name, container[name]) for name in container if name.endswith("Probe")]
    hooks += list(container.get("lifecycle", {}).items())
    yield call(where, container["command"] + container.get("args", []), variables, {"opic"})
    for name, hook in hooks:
        yield call(f"{where}, {name}", hook["exec"]["command"], variables)


def of_manifests():
    for path in sorted((ROOT / "deploy/kubernetes").glob("*.yaml")):
        for document in yaml.safe_load_all(path.read_text()):
            pod = document.get("spec", {}).get("template", {}).get("spec", {})
            for container in pod.get("initContainers", []) + pod.get("containers", []):
                yield from of_container(f"deploy/kubernetes/{path.name}, {container['name']}", container)


def documents():
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def lines_of(document):
    """The lines of a document's blocks of code, without "$ ", variables before and "docker compose exec SERVICE"."""
    blocks = re.findall(r"^```\w*\n(.*?)^```", document.read_text(), re.S | re.M)
    for block in blocks:
        text = re.sub(r"^\$ ", "", block.replace("…", ""), flags=re.M)
        for line in text.replace("\\\n", " ").splitlines():
            yield re.sub(r"^(?:[A-Z_]+=\S+ )*(?:docker compose exec \S+ |kubectl exec \S+ -c \S+ -- )?", "", line)


def without_comment(line):
    return re.split(r"\s+#|\s+[|>&]", line)[0]


def of_documents():
    """Commands in blocks of code; words of prose in brackets and what follows "..." is not read."""
    for document in documents():
        where = str(document.relative_to(ROOT))
        for line in lines_of(document):
            for part in without_comment(line).split(" && "):
                if Path(part.split(" ")[0]).name in PROGRAMS:
                    yield call(where, part.split())


def of_prose():
    """`opic ...` within a sentence, unless a part of it is left out; in docs/formats it is a magic."""
    for document in documents():
        if document.parent.name == "formats":
            continue
        text = re.sub(r"^```\w*\n.*?^```", "", document.read_text(), flags=re.S | re.M)
        for code in re.findall(r"`((?:opic|opic-node|opic-scheduler) [^`]+)`", text):
            if "..." not in code and "|" not in code:
                words = without_comment(code.replace("…", "")).split()
                yield call(f"{document.relative_to(ROOT)}, in a sentence", words)


def scripts():
    """(document, path) of our own scripts that the documents call."""
    for document in documents():
        for line in lines_of(document):
            if re.match(r"(?:deploy|tests|\.ci)/\S+", line):
                yield document.relative_to(ROOT), line.split()[0]


Run = namedtuple("Run", "command code")


def runs_of_guide():
    """What the guide shows of one crawl on this machine, in its order, with the exit code that it says; but for what is
    held against the truth of another web."""
    seen = set()
    alone = (r"opic (?:status|top|importance|explain|audit|verify|compare|rank|export|restate|--version|cluster init|"
             r"hosts|cluster certs|crawl --epsilon)\b")
    for line in lines_of(ROOT / "docs/operations.md"):
        elsewhere = re.search(r"--cluster (?!cluster\.json)|--data r\b|deploy/|--truth", line)
        if re.match(alone, line) and not elsewhere and without_comment(line) not in seen:
            seen.add(without_comment(line))
            code = re.search(r"# exit code (\d+)$", line)
            yield Run(without_comment(line), int(code[1]) if code else 0)


def everywhere():
    for source in (of_compose, of_image, of_units, of_manifests, of_documents, of_prose):
        yield from source()
