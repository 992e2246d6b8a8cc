"""Commands to a node, or to every node of a cluster."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from datetime import datetime

from opic import calls
from opic.errors import NotEverywhere, Unimplemented
from opic.nodes import Nodes
from opic.times import Duration, duration, timestamp
from opic.v1.control_pb2 import (SEED_OUTCOME_OTHER_NODE, AddSeedsRequest, BeginCrawlRequest, CrawlOrderRequest,
                                 CrawlScope, HostChange, InForceRequest, KeptHostRule, LogLevel,
                                 ModuleLogLevel, PauseRequest, Publication, PublicationTarget, PublishRequest,
                                 SeedResult, SetLimitsRequest, SetLogLevelRequest, StopRequest, Treatment,
                                 TuneHostsRequest, TuneRefreshRequest, WithdrawPublicationRequest)
from opic.v1.scheduler_pb2 import SetBudgetRequest
from opic.words import value

_RULES_AT_ONCE, _PUBLICATIONS_AT_ONCE = 2_000, 400  # about a megabyte


class Control:
    """Commands of operators to a crawl; Client.control makes one.

    When a command returns, it is durable and in force; repeating it changes nothing. Every node of the client is told.
    opic.NotEverywhere says which nodes could not be told, and the others were: repeat the command when those answer.
    What all nodes refuse alike is that error instead, such as opic.InvalidArgument, and changes nothing.
    What is left out (None) stays as it is.
    """

    def __init__(self, nodes: Nodes) -> None:
        self._nodes = nodes

    def pause(self) -> None:
        """Stops fetching until resume(), also after restarts."""
        self._nodes.tell(calls.PAUSE, PauseRequest(paused=True))

    def resume(self) -> None:
        self._nodes.tell(calls.PAUSE, PauseRequest(paused=False))

    def budget(self, *, pages_per_second: float | None = None, delay: Duration | None = None) -> None:
        """`pages_per_second` of each node, 0: no limit; `delay` between two fetches from one host. Each node tells its
        Page Scheduler, wherever that runs."""
        self._nodes.tell(calls.SET_BUDGET, SetBudgetRequest(pages_per_s=pages_per_second, delay=duration(delay)))
        planning = self._that_read_again() if pages_per_second else []
        if planning:  # with this rate
            self._nodes.tell(calls.TUNE_REFRESH, TuneRefreshRequest(pages_per_s=pages_per_second), planning)

    def _that_read_again(self) -> list[str]:
        """The names of the nodes that plan when to read pages again. A Page Scheduler by itself plans nothing."""
        try:
            answers = self._nodes.tell(calls.IN_FORCE, InForceRequest())
        except Unimplemented:
            return []
        except NotEverywhere as some:
            if not all(isinstance(error, Unimplemented) for error in some.errors.values()):
                raise
            answers = some.replies
        return [name for name, answer in answers.items() if answer.reads_again]

    def limits(self, *, pages: int | None = None, in_flight: int | None = None, depth: int | None = None,
               as_started: bool = False) -> None:
        """Limits of each node. `pages`, `depth`: 0: no limit. `as_started`: first back to those it was started with."""
        self._nodes.tell(calls.SET_LIMITS, SetLimitsRequest(pages=pages, in_flight=in_flight, depth=depth,
                                                            as_started=as_started))

    def log_level(self, level: str | None = None, *, modules: Mapping[str, str] | None = None) -> None:
        """Writes log lines of this level and above, in all modules of the source: "debug", "info", "warning" or
        "error". `modules`: levels of single ones, e.g. {"fetch": "debug"}."""
        own = [ModuleLogLevel(module=module, level=value(LogLevel.DESCRIPTOR, word, "level"))
               for module, word in (modules or {}).items()]
        told = None if level is None else value(LogLevel.DESCRIPTOR, level, "level")
        self._nodes.tell(calls.SET_LOG_LEVEL, SetLogLevelRequest(level=told, modules=own))

    def refresh(self, *, share: float | None = None, factors: Mapping[str, float] | None = None,
                as_started: bool = False) -> None:
        """How pages are read again: the `share` of all fetches, and the `factors` of categories. `as_started`: first go
        back to what the programs were started with."""
        self._nodes.tell(calls.TUNE_REFRESH, TuneRefreshRequest(share=share, factors=factors, anew=as_started))

    def block(self, *hosts: str, domain: bool = False) -> dict[str, list[KeptHostRule]]:
        """No request to these hosts (names, or URLs on them) begins any more. `domain`: they are registrable domains,
        and all their hosts are meant. Returns the changed rules, by node."""
        return self._tune([HostChange(host=host, domain=domain, blocked=True) for host in hosts])

    def unblock(self, *hosts: str, domain: bool = False) -> dict[str, list[KeptHostRule]]:
        return self._tune([HostChange(host=host, domain=domain, blocked=False) for host in hosts])

    def host(self, host: str, *, domain: bool = False, delay: Duration | None = None, pages: int | None = None,
             octets: int | None = None, clear: bool = False) -> dict[str, list[KeptHostRule]]:
        """Gives a host its own delay, and budgets over all time: `pages` to fetch, `octets` (bytes) to receive; 0: no
        limit. `clear`: removes its delay and budgets, so that those of all hosts hold again."""
        return self._tune([HostChange(host=host, domain=domain, delay=duration(delay), pages=pages,
                                      bytes=octets, clear_delay=clear, clear_budget=clear)])

    def begin_crawl(self, seeds: Iterable[str] = (), *, scope: str = "", include: Iterable[str] = (),
                    exclude: Iterable[str] = (), depth: int | None = None, again: bool = False) -> list[SeedResult]:
        """Tells a cluster what to crawl; the values are those of the flags of `opic crawl`. First every node gets the
        rules for hosts and the publications that other nodes have, because a node that was added fetches as soon as it
        has seeds. So all nodes must answer. Needs the role `node` or `operator`. Returns what became of each seed, in
        their order. InvalidArgument: a seed is not a URL; no seed is taken then."""
        kind = value(CrawlScope.DESCRIPTOR, scope, "scope")
        self._share_rules()
        replies = self._nodes.tell(calls.BEGIN_CRAWL, BeginCrawlRequest(
            seeds=seeds, scope=kind, include=include, exclude=exclude, depth=depth, again=again))
        return _joined([list(reply.seeds) for reply in replies.values()])

    def seeds(self, urls: Iterable[str]) -> list[SeedResult]:
        """Adds seeds to a crawl. Returns what became of each, in their order: new, known, out of scope. One that is not
        a URL is refused, and the others are taken; with a cluster it is InvalidArgument, and none is taken."""
        if len(self._nodes.all) > 1:
            return self.begin_crawl(urls)
        replies = self._nodes.tell(calls.ADD_SEEDS, AddSeedsRequest(urls=urls))
        return _joined([list(reply.seeds) for reply in replies.values()])

    def publish(self, treatment: str, of: str, *, target: str = "url", amount: float = 0.0,
                until: datetime | int | None = None, note: str = "", number: int = 0) -> int:
        """How a page, a prefix or a host is to be visited (opic.v1.Publication lists the values, `treatment` and
        `target` as words: "now", "never", "every" ... "url", "host" ...). `until`: a time with its zone, or Unix
        seconds. Returns the number of the publication; pass it as `number` to repeat the command when some nodes were
        not told."""
        number = number or random.randrange(1, 1 << 40)
        self._nodes.tell(calls.PUBLISH, PublishRequest(publication=Publication(
            id=number, treatment=value(Treatment.DESCRIPTOR, treatment, "treatment"), of=of,
            target=value(PublicationTarget.DESCRIPTOR, target, "target"), amount=amount,
            until=timestamp(until), note=note)))
        return number

    def withdraw(self, number: int) -> None:
        self._nodes.tell(calls.WITHDRAW_PUBLICATION, WithdrawPublicationRequest(id=number))

    def stop(self) -> None:
        """Ends the processes as the first Ctrl-C does: they finish the fetches under way, and save."""
        self._nodes.tell(calls.STOP, StopRequest())

    def _tune(self, changes: list[HostChange]) -> dict[str, list[KeptHostRule]]:
        replies = self._nodes.tell(calls.TUNE_HOSTS, TuneHostsRequest(changes=changes))
        return {name: list(reply.rules) for name, reply in replies.items()}

    def _share_rules(self) -> None:
        """A node merges what it is told with what it has: a block of any node holds, otherwise the newer rule."""
        orders = self._nodes.tell(calls.CRAWL_ORDER, CrawlOrderRequest()).values()
        # Keyed by their bytes: what several nodes have in common is told once.
        rules = {rule.SerializeToString(deterministic=True): rule for order in orders for rule in order.hosts}
        known = {one.SerializeToString(deterministic=True): one for order in orders for one in order.publications}
        if any(len(order.hosts) < len(rules) for order in orders):
            for first in range(0, len(rules), _RULES_AT_ONCE):
                part = list(rules.values())[first:first + _RULES_AT_ONCE]
                self._nodes.tell(calls.BEGIN_CRAWL, BeginCrawlRequest(hosts=part))
        if any(len(order.publications) < len(known) for order in orders):
            for first in range(0, len(known), _PUBLICATIONS_AT_ONCE):
                some = list(known.values())[first:first + _PUBLICATIONS_AT_ONCE]
                self._nodes.tell(calls.BEGIN_CRAWL, BeginCrawlRequest(publications=some))


def _joined(answers: list[list[SeedResult]]) -> list[SeedResult]:
    """For each seed, what the node that has its page says; the others say that it is another node's."""
    return [next((one for one in told if one.outcome != SEED_OUTCOME_OTHER_NODE), told[0]) for told in zip(*answers)]
