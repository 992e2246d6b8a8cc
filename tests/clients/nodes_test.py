#!/usr/bin/python3
"""How the Python package goes from node to node, with nodes that are none: no process is started."""
import unittest

import built  # noqa: F401  (before opic)

from opic import calls
from opic.control import Control
from opic.errors import FailedPrecondition, InvalidArgument, NotEverywhere, Unavailable, Unimplemented
from opic.nodes import Manner, Nodes
from opic.ranking import Ranking
from opic.settings import Address
from opic.v1.control_pb2 import InForceResponse, PauseResponse, TuneRefreshResponse
from opic.v1.importance_pb2 import PageImportance, TopRequest, TopResponse, WatchRequest, WatchResponse
from opic.v1.scheduler_pb2 import SetBudgetResponse


class Played:
    """A node that answers as told: `replies` by call, or an error to raise."""

    def __init__(self, name, replies):
        self.name, self.replies, self.asked = name, replies, []

    def ask(self, call, request, patience):
        self.asked.append((call.name, request))
        reply = self.replies[call.name]
        if isinstance(reply, Exception):
            raise reply
        return reply(request) if callable(reply) else reply

    def listen(self, call, request):
        self.asked.append((call.name, request))
        yield from self.replies[call.name]()


def nodes(*played, retry=1.0):
    all_of_them = Nodes([Address("127.0.0.1:1")], Manner(retry=retry))
    all_of_them.close()
    all_of_them.all = list(played)
    return all_of_them


class WatchTest(unittest.TestCase):
    def test_the_next_node_is_asked_however_long_the_first_had_been_silent(self):
        def silent_at_last():
            yield WatchResponse()
            clock.now += 100  # longer than `retry`, as in a ranking in which nothing changes
            raise Unavailable("stopping")

        def answers():
            yield WatchResponse(known=7)

        class Clock:
            now = 0.0

            def monotonic(self):
                return self.now

            def sleep(self, seconds):
                self.now += seconds

        clock = Clock()
        from opic import nodes as module
        self.addCleanup(setattr, module, "time", module.time)
        module.time = clock
        both = nodes(Played("a", {calls.WATCH.name: silent_at_last}), Played("b", {calls.WATCH.name: answers}))
        heard = list(both.watch(calls.WATCH, WatchRequest()))
        self.assertEqual([reply.known for reply in heard], [0, 7])


class BudgetTest(unittest.TestCase):
    def test_only_nodes_that_read_again_are_told_to_plan_with_it(self):
        def node(name, reads_again):
            return Played(name, {calls.SET_BUDGET.name: SetBudgetResponse(),
                                 calls.IN_FORCE.name: InForceResponse(reads_again=reads_again),
                                 calls.TUNE_REFRESH.name:
                                     TuneRefreshResponse() if reads_again else FailedPrecondition("reads each once")})

        once, again = node("once", False), node("again", True)
        scheduler = Played("scheduler", {calls.SET_BUDGET.name: SetBudgetResponse(),
                                         calls.IN_FORCE.name: Unimplemented("no node")})
        Control(nodes(once, again, scheduler)).budget(pages_per_second=50)
        told = [[name for name, _ in one.asked if name == calls.TUNE_REFRESH.name] for one in (once, again, scheduler)]
        self.assertEqual(told, [[], [calls.TUNE_REFRESH.name], []])
        Control(nodes(scheduler)).budget(pages_per_second=50)

    def test_a_node_that_cannot_say_is_told_about(self):
        silent = Played("silent", {calls.SET_BUDGET.name: SetBudgetResponse(),
                                   calls.IN_FORCE.name: Unavailable("stopping")})
        other = Played("other", {calls.SET_BUDGET.name: SetBudgetResponse(),
                                 calls.IN_FORCE.name: InForceResponse()})
        with self.assertRaises(NotEverywhere):
            Control(nodes(silent, other, retry=0)).budget(pages_per_second=50)


class CommandTest(unittest.TestCase):
    def refused(self, *outcomes):
        """What a command raises whose nodes answer so."""
        played = [Played(f"n{number}", {calls.PAUSE.name: outcome}) for number, outcome in enumerate(outcomes)]
        with self.assertRaises(Exception) as raised:
            Control(nodes(*played, retry=0)).pause()
        self.assertEqual([len(one.asked) for one in played], [1] * len(played))
        return raised.exception

    def test_what_all_nodes_refuse_alike_is_that_error(self):
        wrong = [InvalidArgument(f"wrong, says {name}", code="INVALID_ARGUMENT", reason="NO_HOST") for name in "abc"]
        self.assertIs(self.refused(*wrong), wrong[0])

    def test_what_may_pass_or_is_not_alike_is_told_by_node(self):
        wrong = InvalidArgument("wrong", code="INVALID_ARGUMENT")
        for outcomes in ((Unavailable("away"), Unavailable("away")), (wrong, PauseResponse()),
                         (wrong, Unavailable("away")), (wrong, FailedPrecondition("not now")),
                         (wrong, InvalidArgument("wrong", reason="NO_HOST"))):
            with self.subTest(outcomes=outcomes):
                partly = self.refused(*outcomes)
                self.assertIsInstance(partly, NotEverywhere)
                self.assertEqual(list(partly.errors.values()), [one for one in outcomes if isinstance(one, Exception)])


class RankingTest(unittest.TestCase):
    def test_more_than_can_be_asked_for_ends_with_the_last_that_can(self):
        def top(request):
            """As a node with a million pages answers, in parts of 30,000."""
            begin = int(request.page_token or 0)
            if begin + request.count > 100_000:
                raise AssertionError(f"{request.count} after {begin}")
            end = begin + min(request.count, 30_000)
            return TopResponse(pages=[PageImportance(depth=rank) for rank in range(begin, end)],
                               next_page_token=str(end))

        for first, wanted in ((0, 100_000), (99_990, 10)):
            request = TopRequest(page_token=str(first) if first else "")
            ranking = Ranking(nodes(Played("a", {calls.TOP.name: top})), request, 150_000, partial=False)
            self.assertEqual([page.depth for page in ranking], list(range(first, first + wanted)))


if __name__ == "__main__":
    unittest.main()
