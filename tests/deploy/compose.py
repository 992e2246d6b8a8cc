"""docker-compose.yml as Compose reads it: with variables put in and merges done.

Only what our file uses of https://github.com/compose-spec/compose-spec: ${NAME}, ${NAME:-default}, ${NAME:?why}, $$,
YAML merges, and lists or maps where both are allowed.
"""
import re

import yaml


class MissingVariable(Exception):
    pass


VARIABLE = re.compile(r"\$\$|\$\{(\w+)(?::([-?])([^}]*))?\}")


def put_in(text, environment):
    def value(match):
        if match.group(0) == "$$":
            return "$"
        name, kind, rest = match.groups()
        if environment.get(name):
            return environment[name]
        if kind == "?":
            raise MissingVariable(f"{name}: {rest}")
        return rest if kind == "-" else ""
    return VARIABLE.sub(value, text)


def put_in_everywhere(node, environment):
    if isinstance(node, dict):
        return {key: put_in_everywhere(value, environment) for key, value in node.items()}
    if isinstance(node, list):
        return [put_in_everywhere(value, environment) for value in node]
    return put_in(node, environment) if isinstance(node, str) else node


def load(path, environment):
    with open(path, encoding="utf-8") as file:
        return put_in_everywhere(yaml.safe_load(file), environment)


def mounts(service):
    """(volume, path in the container) of a service."""
    return [tuple(volume.split(":")[:2]) for volume in service.get("volumes", [])]


def in_order(services):
    """Names of services, each after those that it depends on."""
    ordered = []

    def visit(name):
        for other in services[name].get("depends_on", {}):
            visit(other)
        if name not in ordered:
            ordered.append(name)

    for name in services:
        visit(name)
    return ordered
