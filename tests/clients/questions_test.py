#!/usr/bin/python3
"""Every question of the Python package to a cluster of three nodes, and what it refuses."""
import itertools
import re
import subprocess
import sys
import unittest
import unittest.mock

from built import INSTALLED, ROOT
from cluster import ENVIRONMENT, HOSTS, NODES, OPERATOR, READER, Cluster

import opic


def setUpModule():
    global CLUSTER, CLIENT
    CLUSTER = Cluster()
    unittest.addModuleCleanup(CLUSTER.close)
    CLUSTER.start()
    CLIENT = CLUSTER.client()
    unittest.addModuleCleanup(CLIENT.close)
    CLUSTER.crawl(CLIENT)


class ImportanceTest(unittest.TestCase):
    def test_of_one_page(self):
        page = CLIENT.importance(CLUSTER.seed)
        self.assertEqual((page.url, page.known, opic.word(page, "state")), (CLUSTER.seed, True, "fetched"))
        self.assertGreater(page.importance, 0)
        self.assertFalse(CLIENT.importance("http://nowhere.test/").known)

    def test_of_many_pages_in_their_order(self):
        urls = [page.url for page in CLIENT.top(50)] * 11
        self.assertEqual([page.url for page in CLIENT.importances(urls)], urls)

    def test_what_is_no_url_is_told_of_that_one(self):
        known, wrong = CLIENT.importances([CLUSTER.seed, "ftp://a.test/"])
        self.assertEqual((known.known, known.error), (True, ""))
        self.assertEqual((wrong.url, wrong.known, wrong.error_reason), ("ftp://a.test/", False, "NO_URL"))
        self.assertIn("not http or https", wrong.error)

    def test_any_node_answers_for_all(self):
        wanted = CLIENT.importance(CLUSTER.seed).importance
        for address in CLIENT.nodes:
            with opic.Client(address, tls=CLUSTER.tls()) as client:
                self.assertAlmostEqual(client.importance(CLUSTER.seed).importance, wanted, 6)

    def test_one_node_answers_for_itself(self):
        known = 0
        for name in NODES:
            with CLIENT.node(name) as node:
                self.assertEqual(node.status().total.name, name)
                known += node.importance(CLUSTER.seed).known
        self.assertEqual(known, 1)


class TopTest(unittest.TestCase):
    def test_parts_are_the_whole(self):
        whole = list(CLIENT.top(200))
        self.assertEqual(len(whole), 200)
        self.assertEqual(sorted(whole, key=lambda page: -page.importance), whole)
        self.assertEqual([page.url for page in CLIENT.top(200, part_bytes=2_000)], [page.url for page in whole])

    def test_another_client_goes_on_with_the_token(self):
        first = CLIENT.top(200, part_bytes=2_000)
        urls = [next(first).url]
        urls += [page.url for page in first._pages]  # the rest of its part
        self.assertLess(len(urls), 100)
        with CLUSTER.client("reader") as other:
            urls += [page.url for page in other.top(200 - len(urls), page_token=first.token)]
        self.assertEqual(urls, [page.url for page in CLIENT.top(200)])

    def test_it_ends_with_the_pages(self):
        known = CLIENT.status().total.crawl.pages
        ranking = CLIENT.top(10 * known)
        self.assertEqual(ranking.head.known, known)
        self.assertGreater(len(list(ranking)), 0.8 * known)  # those that pay their canonical are left out

    def test_filters(self):
        host = re.match(r"http://([^:/]+)", CLUSTER.seed)[1]
        of_host = CLIENT.top(1_000, host=host)
        urls = [page.url for page in of_host]
        self.assertEqual(len(urls), of_host.head.matching)
        self.assertTrue(all(url.startswith(f"http://{host}") for url in urls))
        self.assertEqual({opic.word(page, "state") for page in CLIENT.top(1_000, state="gone")}, {"gone"})
        self.assertGreater(CLIENT.top(1, domain="sample.test").head.matching, len(urls))

    def test_none(self):
        self.assertEqual(list(CLIENT.top(0)), [])


class SitesTest(unittest.TestCase):
    def test_hosts_and_domains(self):
        hosts = CLIENT.sites(100)
        self.assertEqual((len(hosts.sites), hosts.known), (HOSTS, HOSTS))
        self.assertEqual(sum(site.pages for site in hosts.sites), CLIENT.status().total.crawl.pages)
        domains = CLIENT.sites(100, by="domain")
        self.assertAlmostEqual(sum(site.importance for site in domains.sites), 1, 3)


class ExportTest(unittest.TestCase):
    def test_it_has_every_page_once(self):
        export = CLIENT.export()
        pages = {page.word: page for page in export}
        self.assertEqual(len(pages), CLIENT.status().total.crawl.pages)
        self.assertAlmostEqual(sum(page.importance for page in pages.values()), 1, 3)
        self.assertEqual(sum(head.pages for head in export.heads.values()), len(pages))
        self.assertTrue(all(link in pages for page in pages.values() for link in page.links))
        self.assertEqual((sorted(export.heads), export.token, export.consistent), (list(NODES), "", True))

    def test_it_goes_on_behind_any_page(self):
        whole = [page.word for page in CLIENT.export()]
        for taken in (0, 1, 77, len(whole) - 1, len(whole)):
            with self.subTest(taken=taken):
                first = CLIENT.export()
                words = [page.word for page in itertools.islice(first, taken)]
                second = CLIENT.export(first.token)
                words += [page.word for page in second]
                self.assertEqual((words, second.consistent), (whole, True))

    def test_of_one_node(self):
        with CLIENT.node("n1") as node:
            self.assertEqual(len(list(node.export())), node.status().total.crawl.pages)


class StateTest(unittest.TestCase):
    def test_status(self):
        status = CLIENT.status()
        self.assertEqual((opic.word(status.total.crawl, "phase"), [node.name for node in status.nodes]), ("finished", list(NODES)))
        self.assertEqual(list(status.missing_nodes), [])

    def test_audit(self):
        audit = CLIENT.audit()
        self.assertEqual((audit.difference, len(audit.nodes)), ("0", len(NODES)))

    def test_health(self):
        self.assertEqual(CLIENT.health(), dict.fromkeys(NODES, opic.Health.SERVING))
        with opic.Client("127.0.0.1:1") as nobody:
            self.assertEqual(nobody.health(), {"127.0.0.1:1": opic.Health.NO_ANSWER})

    def test_what_is_crawled_and_where(self):
        order = CLIENT.crawl_order()
        self.assertEqual((list(order.seeds), opic.word(order, "scope")), ([CLUSTER.seed], "any"))
        shards = CLIENT.shards().shards
        self.assertEqual({shard.node for shard in shards}, {0, 1, 2})

    def test_what_is_in_force(self):
        answers = CLIENT.in_force()
        self.assertEqual(sorted(answers), list(NODES))
        self.assertEqual({opic.word(answer.crawl, "scope") for answer in answers.values()}, {"any"})

    def test_the_schedulers(self):
        self.assertGreater(sum(one.orders for one in CLIENT.scheduler().values()), 100)
        host = re.match(r"http://([^:/]+)", CLUSTER.seed)[1]
        self.assertEqual(len(CLIENT.explain_host(host)), 1)
        self.assertEqual(CLIENT.explain_host("nowhere.test"), {})
        self.assertEqual(sorted(CLIENT.explain_waiting()), list(NODES))

    def test_watching(self):
        watch = CLIENT.watch(3, [CLUSTER.seed], every=0.1)
        first = next(watch)
        watch.close()
        self.assertTrue(first.complete)
        self.assertEqual([one.page.url for one in first.top], [page.url for page in CLIENT.top(3)])
        self.assertEqual([(one.rank, one.before) for one in first.top], [(1, 0), (2, 0), (3, 0)])
        self.assertEqual([page.url for page in first.pages], [CLUSTER.seed])
        with self.assertRaises(opic.InvalidArgument) as raised:
            next(CLIENT.watch(501))
        self.assertEqual(raised.exception.reason, "TOO_MANY_URLS")

    def test_a_page_is_explained_by_the_node_that_has_it(self):
        read = CLIENT.explain(CLUSTER.seed)
        self.assertEqual((opic.word(read.page, "state"), read.page.known, read.HasField("host")),
                         ("fetched", True, False))
        self.assertEqual((read.trap, read.host_unknown), ("", ""))
        self.assertFalse(CLIENT.explain("http://nowhere.test/").page.known)

    # control_test.py asks a crawl that has plans.
    def test_a_crawl_that_reads_each_page_once_has_no_plans(self):
        self.assertRaises(opic.FailedPrecondition, CLIENT.when_due)
        self.assertEqual([len(node.publications) for node in CLIENT.publications().values()], [0, 0, 0])


class RefusalTest(unittest.TestCase):
    def test_who_shows_no_certificate_is_not_heard(self):
        with opic.Client(CLIENT.nodes[0].address, token=OPERATOR, retry=0) as client, \
                self.assertRaises(opic.Unavailable):
            client.status()

    def test_a_node_of_another_name_is_not_believed(self):
        wrong = opic.Address(CLIENT.nodes[0].address, "n1")
        with opic.Client(wrong, tls=CLUSTER.tls(), retry=0) as client, self.assertRaises(opic.Unavailable):
            client.status()

    def test_readers_ask_and_do_not_command(self):
        with CLUSTER.client("reader") as reader:
            self.assertTrue(reader.importance(CLUSTER.seed).known)
            self.assertEqual(list(reader.crawl_order().hosts), [])
            for command in (reader.control.pause, reader.in_force, lambda: reader.control.block("a.test"),
                            lambda: reader.control.seeds([CLUSTER.seed])):
                with self.assertRaises(opic.PermissionDenied) as raised:
                    command()
                refused = raised.exception
                self.assertRegex(refused.message,
                                 "this needs the role (node|operator), and the caller has the role reader")
                self.assertEqual(refused.reason, "ROLE_NEEDED")
                self.assertEqual(refused.metadata["role"], "reader")
        self.assertFalse(CLIENT.status().total.crawl.paused)

    def test_a_token_lifts_the_role(self):
        for token, may in ((OPERATOR, True), (READER, False), ("x" * 20, False)):
            with self.subTest(token=token), CLUSTER.client("reader", token=token) as client:
                if may:
                    client.in_force()
                else:
                    self.assertRaises(opic.PermissionDenied, client.in_force)

    def test_wrong_arguments_are_named(self):
        for question, reason in ((lambda: CLIENT.importance("ftp://a.test/"), "ftp"),
                                 (lambda: next(CLIENT.top(page_token="nonsense")), "page_token"),
                                 (lambda: next(CLIENT.top(host="a b")), "host"),
                                 (lambda: CLIENT.sites(6_000), "5,?000")):
            with self.assertRaisesRegex(opic.InvalidArgument, reason) as raised:
                question()
            self.assertEqual(raised.exception.code, "INVALID_ARGUMENT")
        with self.assertRaises(opic.InvalidArgument) as raised:
            CLIENT.importance("ftp://a.test/")
        self.assertEqual((raised.exception.reason, raised.exception.metadata), ("NO_URL", {"url": "ftp://a.test/"}))

    def test_wrong_commands_change_nothing(self):
        control = CLIENT.control
        for command in (lambda: control.limits(in_flight=0), lambda: control.block("*.example.org"),
                        lambda: control.host("a.test", delay=-1), lambda: control.seeds(["nonsense"])):
            self.assertRaises(opic.InvalidArgument, command)
        self.assertEqual([len(one.hosts) for one in CLIENT.in_force().values()], [0, 0, 0])


class GuideTest(unittest.TestCase):
    def test_what_the_guide_shows_runs(self):
        blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / "docs/clients.md").read_text(), re.S | re.M)
        self.assertEqual(len(blocks), 4)
        for block in blocks:
            with self.subTest(block=block):
                said = subprocess.run([sys.executable, "-B", "-c", block], cwd=CLUSTER.folder, capture_output=True,
                                      text=True, env={**ENVIRONMENT, "PYTHONPATH": str(INSTALLED)}, check=False)
                self.assertEqual((said.returncode, said.stderr), (0, ""))
                self.assertTrue(said.stdout)
        CLIENT.control.unblock("site03.sample.test")
        CLIENT.control.host("site04.sample.test", clear=True)

    def test_the_environment_says_where_to_ask(self):
        tls = CLUSTER.tls()
        told = {"OPIC_CLUSTER": str(CLUSTER.file), "OPIC_TLS_CA": str(tls.ca), "OPIC_TLS_CERT": str(tls.certificate),
                "OPIC_TLS_KEY": str(tls.key)}
        for more, name in (({}, ""), ({"OPIC_NODE": "n1"}, "n1")):
            with unittest.mock.patch.dict("os.environ", {**told, **more}), opic.Client.from_environment() as client:
                total = client.status().total
                self.assertEqual((total.name, total.crawl.pages > 0), (name, True))


if __name__ == "__main__":
    unittest.main()
