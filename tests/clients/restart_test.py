#!/usr/bin/python3
"""Reading on while nodes of a cluster are away, killed and started anew."""
import itertools
import threading
import unittest

from cluster import NODES, Cluster, eventually

import opic


def setUpModule():
    global CLUSTER, CLIENT
    CLUSTER = Cluster()
    unittest.addModuleCleanup(CLUSTER.close)
    CLUSTER.start()
    CLIENT = CLUSTER.client()
    unittest.addModuleCleanup(CLIENT.close)
    CLUSTER.crawl(CLIENT)


def whole():
    """All nodes answer, and for all others."""
    status = CLIENT.status()
    channels = [channel for node in status.nodes for channel in node.peers.channels]
    return not status.missing_nodes and all(channel.connected for channel in channels)


class RestartTest(unittest.TestCase):
    def tearDown(self):
        eventually(whole)

    def test_top_goes_on_over_a_restart(self):
        wanted = [page.url for page in CLIENT.top(200)]
        for name in NODES:
            with self.subTest(name=name):
                ranking = CLIENT.top(200, part_bytes=2_000)
                urls = [page.url for page in itertools.islice(ranking, 30)]
                CLUSTER.processes[name].kill()
                CLUSTER.start(name)
                eventually(whole)
                urls += [page.url for page in ranking]
                self.assertEqual(urls, wanted)

    def test_export_goes_on_over_a_kill_and_says_so(self):
        wanted = [page.word for page in CLIENT.export()]
        first = CLIENT.export()
        words = [page.word for page in itertools.islice(first, 40)]
        token = first.token
        self.assertTrue(token.endswith("/n0"), token)
        CLUSTER.processes["n0"].kill()
        CLUSTER.start("n0")
        second = CLIENT.export(token)
        words += [page.word for page in second]
        self.assertEqual(words, wanted)
        self.assertFalse(second.consistent)

    def test_a_client_waits_for_a_node_that_starts(self):
        CLUSTER.processes["n1"].stop()
        starting = threading.Timer(0.5, CLUSTER.start, ["n1"])
        starting.start()
        with CLUSTER.client(retry=30.0) as client, client.node("n1") as node:
            self.assertEqual(node.status().total.name, "n1")
        starting.join()

    def test_what_a_node_that_is_away_lacks_is_told(self):
        with CLIENT.node("n2") as node:
            url = next(node.top(1)).url
        CLUSTER.processes["n2"].stop()
        try:
            with CLUSTER.client(retry=0.5) as client:
                self.assertEqual(list(client.status().missing_nodes), ["n2"])
                self.assertEqual(client.audit().difference, "")
                self.assertEqual(client.health()["n2"], opic.Health.NO_ANSWER)
                for question in (lambda: next(client.top()), client.sites, lambda: client.importance(url),
                                 lambda: list(client.importances([url]))):
                    with self.assertRaises(opic.Partial) as raised:
                        question()
                    self.assertEqual(raised.exception.missing, ["n2"])
                with self.assertRaises(opic.Unavailable):
                    list(client.export())
                with self.assertRaises(opic.NotEverywhere) as raised:
                    client.control.log_level("info")
                self.assertEqual((list(raised.exception.errors), sorted(raised.exception.replies)),
                                 (["n2"], ["n0", "n1"]))
            with CLUSTER.client(partial=True) as client:
                self.assertTrue(list(client.top(5)))
        finally:
            CLUSTER.start("n2")


if __name__ == "__main__":
    unittest.main()
