#!/usr/bin/python3
"""Every command of the Python package to a cluster of three nodes that goes on for ever."""
import unittest
from datetime import timedelta

from cluster import NODES, PATIENCE, Cluster, eventually

import opic
from opic.v1.control_pb2 import SeedOutcome

CONTINUOUS = ["--continuous", "--rate", "300"]


def setUpModule():
    global CLUSTER, CLIENT
    CLUSTER = Cluster()
    unittest.addModuleCleanup(CLUSTER.close)
    CLIENT = CLUSTER.client(retry=1.0)
    unittest.addModuleCleanup(CLIENT.close)


def rules():
    """By node: (host, blocked) of what it keeps."""
    return {name: [(kept.rule.name, kept.rule.blocked) for kept in answer.hosts]
            for name, answer in CLIENT.in_force().items()}


class ControlTest(unittest.TestCase):
    # In this order, of one cluster: tests are run by their names.
    def test_1_a_crawl_begins_when_all_nodes_know_the_rules(self):
        CLUSTER.start("n0", "n1", more=CONTINUOUS)
        with CLIENT.node("n0") as node:
            node.control.block("http://site07.sample.test/some/page")
        with self.assertRaises(opic.NotEverywhere) as raised:
            CLIENT.control.begin_crawl([CLUSTER.seed], scope="any")
        self.assertEqual(list(raised.exception.errors), ["n2"])
        with CLIENT.node("n1") as node:
            self.assertEqual(list(node.crawl_order().seeds), [])
        CLUSTER.start("n2", more=CONTINUOUS)
        eventually(lambda: CLIENT.health()["n2"] == opic.Health.SERVING)
        CLIENT.control.begin_crawl([CLUSTER.seed], scope="any")
        self.assertEqual(rules(), dict.fromkeys(NODES, [("site07.sample.test", True)]))
        eventually(lambda: CLIENT.status().total.crawl.visited.fetched > 50)
        told = CLIENT.control.seeds(["http://site01.sample.test/", "http://site01.sample.test/", CLUSTER.seed])
        self.assertEqual([SeedOutcome.Name(one.outcome) for one in told][1:], ["SEED_OUTCOME_KNOWN"] * 2)
        self.assertEqual(len(CLIENT.crawl_order().seeds), 2)

    def test_2_pause_and_resume(self):
        CLIENT.control.pause()
        self.assertTrue(CLIENT.status().total.crawl.paused)
        CLIENT.control.resume()
        self.assertFalse(CLIENT.status().total.crawl.paused)

    def test_3_rules_for_hosts(self):
        control = CLIENT.control
        told = control.block("a.example.org", "http://b.example.org/page")
        self.assertEqual([kept.rule.name for kept in told["n1"]], ["a.example.org", "b.example.org"])
        told = control.block("example.com", domain=True)
        self.assertTrue(told["n2"][0].rule.domain)
        self.assertRegex(told["n2"][0].by, "operator")
        told = control.host("a.example.org", delay=timedelta(minutes=1), pages=100, octets=10**9)
        rule = told["n0"][0].rule
        self.assertEqual((rule.delay.ToSeconds(), rule.pages, rule.bytes, rule.blocked), (60, 100, 10**9, True))
        control.unblock("a.example.org", "b.example.org", "site07.sample.test")
        control.unblock("example.com", domain=True)
        self.assertEqual(rules(), dict.fromkeys(NODES, [("a.example.org", False)]))
        control.host("a.example.org", clear=True)
        self.assertEqual(rules(), dict.fromkeys(NODES, []))

    def test_4_budget_limits_and_log(self):
        control = CLIENT.control
        control.budget(pages_per_second=500, delay=0.02)
        for scheduler in CLIENT.scheduler().values():
            self.assertEqual((scheduler.pages_per_s, scheduler.delay.ToMilliseconds()), (500, 20))
        control.limits(in_flight=7, pages=10**6)
        control.log_level("warning")
        control.log_level(modules={"fetch": "error"})
        for node in CLIENT.in_force().values():
            self.assertEqual((node.in_flight_max, node.pages_max, opic.word(node, "log_level")),
                             (7, 10**6, "warning"))
            self.assertEqual([(own.module, opic.word(own, "level")) for own in node.module_log_levels],
                             [("fetch", "error")])
            self.assertEqual(node.refresh.pages_per_s, 500)
            self.assertIn("SetLimits", [act.name for act in node.acts])
        control.limits(as_started=True)
        self.assertEqual({node.pages_max for node in CLIENT.in_force().values()}, {0})

    def test_5_how_pages_are_read_again(self):
        control = CLIENT.control
        control.refresh(share=0.25, factors={"pdf": 0})
        for node in CLIENT.in_force().values():
            self.assertEqual((node.refresh.share, dict(node.refresh.factors)), (0.25, {"pdf": 0}))
        number = control.publish("never", "http://site02.sample.test/", target="prefix", note="asked for")
        self.assertEqual(control.publish("never", "http://site02.sample.test/", target="prefix", note="asked for",
                                         number=number), number)
        for node in CLIENT.publications().values():
            self.assertEqual([(one.id, one.note) for one in node.publications], [(number, "asked for")])
        self.assertEqual(sorted(CLIENT.when_due()), list(NODES))
        control.withdraw(number)
        self.assertRaises(opic.NotFound, control.withdraw, number)

    def test_6_stop(self):
        CLIENT.control.stop()
        for process in CLUSTER.processes.values():
            self.assertEqual(process.process.wait(PATIENCE), 0)
        self.assertEqual(CLIENT.health(), dict.fromkeys(NODES, opic.Health.NO_ANSWER))


if __name__ == "__main__":
    unittest.main()
