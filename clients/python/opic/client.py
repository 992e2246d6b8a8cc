"""Questions to a node, or to a cluster through any of its nodes."""

from __future__ import annotations

import enum
import os
from collections.abc import Iterable, Iterator
from itertools import islice
from os import PathLike

from google.protobuf import wrappers_pb2

from opic import calls
from opic.control import Control
from opic.errors import Error, Partial
from opic.export import Export
from opic.nodes import Manner, Nodes
from opic.ranking import Ranking, page_filter
from opic.settings import Address, Environment, Tls, read_cluster, read_token
from opic.times import duration
from opic.v1.audit_pb2 import TakeRequest, TakeResponse
from opic.v1.control_pb2 import (CrawlOrderRequest, CrawlOrderResponse, GetStatusRequest, GetStatusResponse,
                                 InForceRequest, InForceResponse, ListPublicationsRequest, ListPublicationsResponse,
                                 ShardsRequest, ShardsResponse, WhenDueRequest, WhenDueResponse)
from opic.v1.importance_pb2 import (BatchGetRequest, ExplainUrlRequest, ExplainUrlResponse, GetRequest, PageImportance,
                                    SiteKind, SitesRequest, SitesResponse, TopRequest, WatchRequest, WatchResponse)
from opic.v1.scheduler_pb2 import (ExplainHostRequest, ExplainWaitingRequest, ExplainWaitingResponse, HostExplanation,
                                   PageSchedulerStatusRequest, PageSchedulerStatusResponse)

URLS_AT_ONCE = 500  # what Importance.BatchGet takes


class Health(enum.Enum):
    SERVING = "serving"
    NOT_SERVING = "not serving"  # it answers, but is about to stop
    NO_ANSWER = "no answer"


class Client:
    """Asks the nodes of a crawl. Answers are the messages of proto/opic/v1, where their fields are documented.

    A question goes to the node that answered last. If that node does not answer (UNAVAILABLE), the next one is asked,
    and so on for `retry` seconds. A deadline that has passed, and any other refusal, is raised at once as an
    opic.Error. An answer that lacks the pages of a node is raised as opic.Partial, which holds the answer; with
    `partial` it is returned instead.

        with opic.Client("127.0.0.1:7070") as client:
            print(client.importance("https://example.org/").importance)

    Thread-safe. Do not use it in a forked process.
    """

    def __init__(self, *addresses: str | Address, tls: Tls | None = None, token: str = "", patience: float = 60.0,
                 retry: float = 5.0, local_only: bool = False, partial: bool = False) -> None:
        """`addresses`: HOST:PORT of one or more nodes of one cluster. `tls`: the caller's certificate; None: plain
        text. `token`: one that the nodes accept (--token-file). `patience`: most seconds to wait for an answer.
        `local_only`: ask for the pages of the node that is asked, not of its whole cluster."""
        if not addresses:
            raise Error("no address is given: pass HOST:PORT of at least one node")
        known = [address if isinstance(address, Address) else Address(address) for address in addresses]
        self._nodes = Nodes(known, Manner(tls, token, patience, retry, local_only))
        self._partial = partial

    @classmethod
    def from_cluster_file(cls, path: str | PathLike[str], *, tls: Tls | None = None, token: str = "",
                          token_file: str | PathLike[str] = "", patience: float = 60.0, retry: float = 5.0,
                          partial: bool = False) -> Client:
        """A client of all nodes in a cluster file (cluster.json), as `opic cluster init` makes it."""
        return cls(*read_cluster(path), tls=tls, token=read_token(token_file) if token_file else token,
                   patience=patience, retry=retry, partial=partial)

    @classmethod
    def from_environment(cls) -> Client:
        """Takes the variables that the command `opic` takes: OPIC_CLUSTER or OPIC_NODE (or both: one node of the
        cluster, by name), OPIC_TLS_CA, OPIC_TLS_CERT, OPIC_TLS_KEY, OPIC_TOKEN_FILE."""
        told = Environment.read(os.environ)
        if told.cluster:
            client = cls.from_cluster_file(told.cluster, tls=told.tls, token=told.token)
            return client.node(told.node) if told.node else client
        if told.node:
            return cls(told.node, tls=told.tls, token=told.token)
        raise Error("neither OPIC_CLUSTER (a cluster file) nor OPIC_NODE (HOST:PORT) is set: set one of them")

    @property
    def nodes(self) -> list[Address]:
        return [node.address for node in self._nodes.all]

    def node(self, name: str) -> Client:
        """A client of one of these nodes, given by name or address. It answers for that node alone."""
        found = self._nodes.only(name)
        client = Client(found.all[0].address, partial=self._partial)
        client._nodes.close()
        client._nodes = found
        return client

    @property
    def control(self) -> Control:
        """Commands. Each is given to every node of this client."""
        return Control(self._nodes)

    # Importance.

    def importance(self, url: str) -> PageImportance:
        """The importance of one URL. `known` is False when the crawl does not know it."""
        request = GetRequest(url=url, local_only=self._local)
        page = self._nodes.ask(calls.GET, request).page
        if page.unanswered_by and not self._partial:
            raise Partial([page.unanswered_by], call=calls.GET.name, node="", reply=page)
        return page

    def importances(self, urls: Iterable[str]) -> Iterator[PageImportance]:
        """The importance of any number of URLs, in their order; 500 are asked for at a time. One that is not an http(s)
        URL is not `known`, and its `error` says so."""
        waiting = iter(urls)
        while part := list(islice(waiting, URLS_AT_ONCE)):
            request = BatchGetRequest(urls=part, local_only=self._local)
            reply = self._nodes.ask(calls.BATCH_GET, request)
            if reply.missing_nodes and not self._partial:
                raise Partial(list(reply.missing_nodes), call=calls.BATCH_GET.name, node="", reply=reply)
            yield from reply.pages

    def explain(self, url: str) -> ExplainUrlResponse:
        """Everything that is known of one URL: why it is not fetched, or when it is read again."""
        reply = self._nodes.ask(calls.EXPLAIN_URL, ExplainUrlRequest(url=url, local_only=self._local))
        if reply.page.unanswered_by and not self._partial:
            raise Partial([reply.page.unanswered_by], call=calls.EXPLAIN_URL.name, node="", reply=reply)
        return reply

    def top(self, count: int = 10, *, host: str = "", domain: str = "", state: str = "", category: str = "",
            page_token: str = "", part_bytes: int = 0) -> Ranking:
        """The `count` most important pages, best first: an iterator that asks for the next part when it is needed.
        `host`, `domain`, `state` ("unread", "fetched", "redirect", "gone", "forbidden", "failed", "out_of_scope") and
        `category` ("html", "xml", "feed", "schema", "pdf", "other"; of pages whose visits are planned) narrow it.
        `page_token`: the `token` of another Ranking, to continue after its last part. `part_bytes`: the size limit of
        a part in bytes; 0: 3,000,000."""
        request = TopRequest(local_only=self._local, page_token=page_token, reply_bytes_max=part_bytes,
                             filter=page_filter(host, domain, state, category))
        return Ranking(self._nodes, request, count, self._partial)

    def watch(self, count: int = 0, urls: Iterable[str] = (), *, every: float = 5.0,
              least_change: float = 0.01) -> Iterator[WatchResponse]:
        """How the ranking changes, without end. The first reply has the `count` best pages (0: 10 without `urls`, none
        with them) and the `urls`; each later one has what has changed of them. The node looks once in `every` seconds
        at most; `least_change` is the fraction by which an importance must change to be reported. When the node stops
        answering, the next one is asked, for `retry` seconds, and its first reply is `complete` again."""
        request = WatchRequest(count=count, urls=urls, local_only=self._local, period=duration(every),
                               least_change=least_change)
        for reply in self._nodes.watch(calls.WATCH, request):
            if reply.complete or reply.top or reply.pages or reply.missing_nodes:
                yield reply

    def sites(self, count: int = 10, *, by: str = "host") -> SitesResponse:
        """The most important hosts, registrable domains (by="domain"), or groups of hosts in the hosts file of the
        nodes (by="group"); at most 5,000."""
        kinds = {"host": SiteKind.SITE_KIND_HOST, "domain": SiteKind.SITE_KIND_DOMAIN,
                 "group": SiteKind.SITE_KIND_GROUP}
        if by not in kinds:
            raise ValueError(f'by "{by}": must be host, domain or group')
        kind = kinds[by]
        reply = self._nodes.ask(calls.SITES, SitesRequest(kind=kind, count=count, local_only=self._local))
        if reply.missing_nodes and not self._partial:
            raise Partial(list(reply.missing_nodes), call=calls.SITES.name, node="", reply=reply)
        return reply

    def export(self, token: str = "") -> Export:
        """All pages and their links, of every node of this client. `token`: that of another Export, to continue
        after its last page."""
        return Export(self._nodes, token)

    # What the crawl is doing. Here `missing_nodes` is part of the answer; opic.Partial is not raised.

    def status(self) -> GetStatusResponse:
        """`total` is that of the node, or of its whole cluster; `nodes` has those of a cluster one by one."""
        return self._nodes.ask(calls.GET_STATUS, GetStatusRequest(local_only=self._local))

    def audit(self) -> TakeResponse:
        """Adds up all cash. `difference` is "0" when none was lost or made, and empty when a node is missing."""
        return self._nodes.ask(calls.TAKE_AUDIT, TakeRequest(local_only=self._local))

    def health(self) -> dict[str, Health]:
        """The health of each node, by name. Each is asked once."""
        found = {}
        for node in self._nodes.all:
            name = node.address.name or node.address.address
            try:
                said = node.ask(calls.CHECK_HEALTH, wrappers_pb2.StringValue(), min(self._nodes.manner.patience, 3.0))
                found[name] = Health.SERVING if said.value == calls.SERVING else Health.NOT_SERVING
            except Error:
                found[name] = Health.NO_ANSWER
        return found

    def shards(self) -> ShardsResponse:
        """Where the shards are, according to one node."""
        return self._nodes.ask(calls.SHARDS, ShardsRequest())

    def crawl_order(self) -> CrawlOrderResponse:
        """What is to be crawled, as one node was told to."""
        return self._nodes.ask(calls.CRAWL_ORDER, CrawlOrderRequest())

    def in_force(self) -> dict[str, InForceResponse]:
        """What operators have set on each node, since when and by whom. For operators."""
        return self._nodes.tell(calls.IN_FORCE, InForceRequest())

    def publications(self) -> dict[str, ListPublicationsResponse]:
        """The publications in force on each node."""
        return self._nodes.tell(calls.LIST_PUBLICATIONS, ListPublicationsRequest())

    def when_due(self) -> dict[str, WhenDueResponse]:
        """When the pages of each node are read again."""
        return self._nodes.tell(calls.WHEN_DUE, WhenDueRequest())

    # Page Schedulers. A node answers for its own, wherever that runs.

    def scheduler(self) -> dict[str, PageSchedulerStatusResponse]:
        return self._nodes.tell(calls.SCHEDULER_STATUS, PageSchedulerStatusRequest())

    def explain_host(self, host: str) -> dict[str, HostExplanation]:
        """Why pages of this host are not fetched now, by node; only nodes whose scheduler knows the host are there."""
        answers = self._nodes.tell(calls.EXPLAIN_HOST, ExplainHostRequest(host=host))
        return {name: answer.host for name, answer in answers.items() if answer.host.known}

    def explain_waiting(self) -> dict[str, ExplainWaitingResponse]:
        """What the hosts with queued pages wait for."""
        return self._nodes.tell(calls.EXPLAIN_WAITING, ExplainWaitingRequest())

    def close(self) -> None:
        self._nodes.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def _local(self) -> bool:
        return self._nodes.manner.local_only
