#!/usr/bin/env python3
"""The deployment files against the programs: what they name must be there. OPIC_PROGRAMS is the build folder."""
import fnmatch
import functools
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import yaml

import commands
import compose
from commands import ROOT

BUILD = Path(os.environ.get("OPIC_PROGRAMS", ROOT / "build/release"))


@functools.cache
def help_of(*words):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("OPIC_")}
    said = subprocess.run([BUILD / words[0], *words[1:], "--help"], capture_output=True, text=True, env=environment,
                          timeout=60, check=True)
    return said.stdout


@functools.cache
def settings_of(*words):
    """The long names without dashes that a program, or a command of `opic`, knows."""
    return set(re.findall(r"^ +(?:-\w,)?--([a-z][a-z-]*)", help_of(*words), re.M)) - {"help"}


def commands_of_opic():
    return re.findall(r"^  ([a-z][a-z-]*) ", help_of("opic").partition("Subcommands:")[2], re.M)


def variables_of(program):
    """Names of the OPIC_* variables that a program does not refuse."""
    names = settings_of(program)
    if program == "opic":
        names = set().union(*(settings_of("opic", command) for command in commands_of_opic()))
    return {"OPIC_" + name.upper().replace("-", "_") for name in names}


def command_words(call):
    """The words that lead to the help of the command: of `opic` one, or two."""
    if call.program != "opic":
        return [call.program]
    names = [word for word in call.words if not word.startswith("-")]
    return ["opic", *names[: 2 if names[:1] == ["cluster"] else 1]]


class CallsTest(unittest.TestCase):
    def test_flags_are_known(self):
        for call in commands.everywhere():
            flags = {word[2:].partition("=")[0] for word in call.words if re.match("--[a-z]", word)}
            flags -= {"help", "version"}
            with self.subTest(where=call.where, program=call.program, words=call.words):
                self.assertLessEqual(flags, settings_of(*command_words(call)))

    def test_variables_are_known_to_all_who_see_them(self):
        for call in commands.everywhere():
            ours = {name for name in call.variables if name.startswith("OPIC_")}
            for program in {call.program, *call.beside}:
                with self.subTest(where=call.where, program=program):
                    self.assertLessEqual(ours, variables_of(program))

    # Otherwise the two above would be content with nothing.
    def test_every_kind_of_file_has_calls(self):
        for source, least in ((commands.of_compose, 18), (commands.of_image, 2), (commands.of_units, 2),
                              (commands.of_manifests, 7), (commands.of_documents, 60), (commands.of_prose, 20)):
            with self.subTest(source=source.__name__):
                self.assertGreaterEqual(len(list(source())), least)

    def test_an_unknown_flag_is_noticed(self):
        self.assertIn("cluster", settings_of("opic-node"))
        self.assertNotIn("no-such-flag", settings_of("opic-node"))
        self.assertNotIn("OPIC_CONTACT", variables_of("opic-scheduler"))


class DocumentsTest(unittest.TestCase):
    def test_scripts_are_there(self):
        for document, path in commands.scripts():
            with self.subTest(document=document, path=path):
                self.assertTrue(os.access(ROOT / path, os.X_OK))

    # The sample web of the guide, smaller, on a port that is free, and every question that the guide asks of it at rest.
    def test_what_the_guide_shows_runs(self):
        runs = list(commands.runs_of_guide())
        self.assertGreaterEqual(len(runs), 12)
        environment = {key: value for key, value in os.environ.items() if not key.startswith("OPIC_")}
        environment["PATH"] = f"{BUILD}:{environment['PATH']}"
        begin = [line for line in commands.lines_of(ROOT / "docs/operations.md") if "sample.test/ --scope any" in line]
        self.assertEqual(len(begin), 1)
        with tempfile.TemporaryDirectory() as folder:
            here = {"cwd": folder, "env": environment, "text": True, "timeout": 100}
            served = subprocess.Popen(["opic", "sample-web", "--sample-pages", "600", "--sample-hosts", "20"],
                                      cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)
            try:
                served.stdout.readline()
                address = served.stdout.readline().split()[1]
                crawl = re.sub(r"--connect-to \S+", f"--connect-to {address}", begin[0]) + " --quiet --pages 100"
                subprocess.run(crawl, shell=True, check=True, capture_output=True, **here)
            finally:
                served.terminate()
                served.communicate()
            for run in runs:
                with self.subTest(command=run.command):
                    if "cluster init" in run.command:
                        Path(folder, "cluster.json").unlink(missing_ok=True)
                        Path(folder, "cluster.json.secret").unlink(missing_ok=True)
                        shutil.rmtree(Path(folder, "certs"), ignore_errors=True)
                    said = subprocess.run(run.command, shell=True, check=False, capture_output=True, **here)
                    self.assertEqual(said.returncode, run.code, said.stderr)


class ConfigurationTest(unittest.TestCase):
    FILES = {"node.conf": "opic-node", "crawl.conf": "opic-node", "scheduler.conf": "opic-scheduler"}

    def test_keys_are_known(self):
        for path in filter(lambda path: path.name in self.FILES, ROOT.glob("deploy/**/*.conf")):
            keys = set(re.findall(r"^([^#\s=]+) *=", path.read_text(), re.M))
            with self.subTest(path=path):
                self.assertTrue(keys)
                self.assertLessEqual(keys, settings_of(self.FILES[path.name]))


class ComposeTest(unittest.TestCase):
    def setUp(self):
        self.model = compose.load(ROOT / "docker-compose.yml", {"OPIC_CONTACT": "you@example.org"})

    def test_nobody_crawls_without_a_contact(self):
        with self.assertRaisesRegex(compose.MissingVariable, "OPIC_CONTACT"):
            compose.load(ROOT / "docker-compose.yml", {})

    def test_all_services_are_confined(self):
        for name, service in self.model["services"].items():
            with self.subTest(service=name):
                self.assertTrue(service["read_only"])
                self.assertEqual(service["cap_drop"], ["ALL"])
                self.assertEqual(service["security_opt"], ["no-new-privileges:true"])
                self.assertEqual(service["user"] == "0:0", name == "init")

    def test_names_lead_somewhere(self):
        for name, service in self.model["services"].items():
            with self.subTest(service=name):
                self.assertLessEqual(set(service.get("depends_on", {})), set(self.model["services"]))
                self.assertLessEqual({volume for volume, _ in compose.mounts(service)}, set(self.model["volumes"]))
                self.assertLessEqual({config["source"] for config in service.get("configs", [])},
                                     set(self.model["configs"]))

    def test_each_node_has_a_scheduler_and_a_disk_of_its_own(self):
        nodes = [name for name in self.model["services"] if name.startswith("node")]
        self.assertEqual(len(nodes), 4)
        for name in nodes:
            service, scheduler = (self.model["services"][kind] for kind in (name, name.replace("node", "scheduler")))
            with self.subTest(node=name):
                self.assertEqual(service["environment"]["OPIC_NODE"], name)
                self.assertEqual(service["environment"]["OPIC_SCHEDULER"], scheduler["environment"]["OPIC_LISTEN"])
                self.assertEqual(service["volumes"], scheduler["volumes"])
        self.assertEqual(len({self.model["services"][name]["volumes"][0] for name in nodes}), 4)


class KubernetesTest(unittest.TestCase):
    def setUp(self):
        self.documents = {}
        for path in (ROOT / "deploy/kubernetes").glob("*.yaml"):
            for document in yaml.safe_load_all(path.read_text()):
                self.documents[document["kind"]] = document
        self.set = self.documents["StatefulSet"]["spec"]

    def test_selectors_meet_the_pods(self):
        labels = self.set["template"]["metadata"]["labels"]
        self.assertEqual(self.documents["Service"]["spec"]["selector"], labels)
        for kind in ("StatefulSet", "PodDisruptionBudget"):
            self.assertEqual(self.documents[kind]["spec"]["selector"]["matchLabels"], labels)

    def test_each_pod_has_its_certificate(self):
        files = self.documents["Kustomization"]["secretGenerator"][0]["files"]
        wanted = ["certs/ca.pem"]
        for pod in range(self.set["replicas"]):
            wanted += [f"certs/opic-{pod}.pem", f"certs/opic-{pod}-key.pem"]
        self.assertEqual(files, wanted)

    def test_what_is_mounted_is_there(self):
        pod = self.set["template"]["spec"]
        volumes = {volume["name"] for volume in pod["volumes"]}
        volumes |= {claim["metadata"]["name"] for claim in self.set["volumeClaimTemplates"]}
        for container in pod["initContainers"] + pod["containers"]:
            self.assertLessEqual({mount["name"] for mount in container["volumeMounts"]}, volumes)

    def test_resources_are_listed(self):
        files = {path.name for path in (ROOT / "deploy/kubernetes").glob("*.yaml")} - {"kustomization.yaml"}
        self.assertEqual(set(self.documents["Kustomization"]["resources"]), files)


class ImageTest(unittest.TestCase):
    def test_tags_are_the_release(self):
        release = re.search(r"project\(opic VERSION (\d+\.\d+)", (ROOT / "CMakeLists.txt").read_text())[1]
        kustomization = (ROOT / "deploy/kubernetes/kustomization.yaml").read_text()
        tags = re.findall(r'newTag: "(.*)"', kustomization)
        for path in ("docker-compose.yml", "deploy/Dockerfile", "docs/operations.md"):
            found = re.findall(r"\bopic:(\d+\.\d+)", (ROOT / path).read_text())
            self.assertTrue(found, path)
            tags += found
        self.assertEqual(set(tags), {release})

    def test_what_is_copied_is_let_through(self):
        ignore = (ROOT / ".dockerignore").read_text().splitlines()
        allowed = [line[1:] for line in ignore if line.startswith("!")]
        for sources in re.findall(r"^COPY (?!--from)(.*) \S+$", (ROOT / "deploy/Dockerfile").read_text(), re.M):
            for source in sources.split():
                self.assertTrue((ROOT / source).exists(), source)
                self.assertTrue(any(fnmatch.fnmatch(source, pattern) for pattern in allowed), source)

    @unittest.skipUnless(shutil.which("dpkg-query") and shutil.which("readelf"), "no Debian tools")
    def test_packages_to_run_are_those_of_the_libraries(self):
        section = (ROOT / "deploy/packages.txt").read_text().partition("[run]\n")[2].partition("[")[0]
        # Part of every Debian system, the certificates aside, which no library needs.
        listed = set(section.split()) - {"ca-certificates"}
        needed = packages_of_libraries() - {"libc6", "libgcc-s1"}
        if are_sanitized():
            listed -= {"libjemalloc2"}  # a sanitizer brings its own allocator
        self.assertLessEqual(listed, needed)
        # A build without inlining names libraries of libraries, which come with these anyway.
        self.assertLessEqual(needed - listed, packages_they_depend_on(listed))


def packages_they_depend_on(packages):
    query = ["dpkg-query", "--show", "--showformat", "${Depends},", *sorted(packages)]
    depends = subprocess.run(query, check=True, capture_output=True, text=True).stdout
    return {word.split()[0].split(":")[0] for word in re.split(r"[,|]", depends) if word.strip()}


def libraries_of(program):
    dynamic = subprocess.run(["readelf", "-d", BUILD / program], capture_output=True, text=True, check=True).stdout
    return re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)


def are_sanitized():
    return any(re.match("lib(asan|ubsan|tsan)", library)
               for program in commands.PROGRAMS for library in libraries_of(program))


def packages_of_libraries():
    cache = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
    # The first of a name is of the machine's own kind.
    paths = dict(reversed(re.findall(r"^\t(\S+) .* => (\S+)$", cache, re.M)))
    found = set()
    for program in commands.PROGRAMS:
        for library in libraries_of(program):
            if not re.match("ld-linux|lib(asan|ubsan|tsan)", library):
                found.add(package_of(os.path.realpath(paths[library])))
    return found


@functools.cache
def package_of(path):
    # Where /lib is a link to /usr/lib, some packages own the one name and some the other.
    for name in (path, path.removeprefix("/usr")):
        owner = subprocess.run(["dpkg-query", "-S", name], capture_output=True, text=True, check=False).stdout
        if owner:
            return owner.partition(":")[0]
    raise AssertionError(f"{path} is of no package")


@unittest.skipUnless(shutil.which("systemd-analyze"), "systemd-analyze is not at hand")
class UnitsTest(unittest.TestCase):
    def test_systemd_finds_nothing_wrong(self):
        with tempfile.TemporaryDirectory() as folder:
            units = []
            for path in sorted((ROOT / "deploy/systemd").glob("*.service")):
                units.append(Path(folder) / path.name)
                units[-1].write_text(path.read_text().replace("/usr/local/bin", str(BUILD)))
            said = subprocess.run(["systemd-analyze", "verify", "--man=no", *units], capture_output=True, text=True,
                                  check=False)
            self.assertEqual((said.returncode, said.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
