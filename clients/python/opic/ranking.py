"""The most important pages, fetched part by part."""

from __future__ import annotations

from collections.abc import Iterator

from opic.calls import TOP
from opic.errors import Partial
from opic.nodes import Nodes
from opic.v1.importance_pb2 import PageFilter, PageImportance, PageState, TopRequest, TopResponse
from opic.words import value


_RANKS_MAX = 100_000


class Ranking(Iterator[PageImportance]):
    """The most important pages, best first. Each part is asked for when it is needed.

    A part is the ranking at the moment when it was asked for: a page whose rank changes in between may be in two parts,
    or in none. Only the first 100,000 ranks can be asked for; an Export reads all pages of one moment.
    """

    def __init__(self, nodes: Nodes, request: TopRequest, count: int, partial: bool) -> None:
        self._nodes, self._request, self._left, self._partial = nodes, request, count, partial
        self._pages: Iterator[PageImportance] = iter(())
        self._more = True
        self._head: TopResponse | None = None

    @property
    def head(self) -> TopResponse:
        """What the latest part says of the whole ranking: known, matching, error_bound, missing_nodes ... Its `pages`
        are empty."""
        if self._head is None:
            self._read()
        assert self._head is not None
        return self._head

    @property
    def token(self) -> str:
        """Where the next part begins, to be given as `page_token` to Client.top; it is after all pages of the present
        part, also those that were not returned yet. Empty: there is no next part."""
        return self._request.page_token

    @property
    def _begin(self) -> int:
        """The rank, from 0, at which the next part begins; 0 too if the token is none, which the node will say."""
        return int(self.token) if self.token.isdecimal() else 0

    def __next__(self) -> PageImportance:
        while self._left > 0:
            for page in self._pages:
                self._left -= 1
                return page
            if not self._more:
                break
            self._read()
        raise StopIteration

    def _read(self) -> None:
        self._request.count = max(1, min(self._left, _RANKS_MAX - self._begin))
        reply = self._nodes.ask(TOP, self._request)
        if reply.missing_nodes and not self._partial:
            raise Partial(list(reply.missing_nodes), call=TOP.name, node="", reply=reply)
        self._request.page_token = reply.next_page_token
        self._pages = iter(list(reply.pages))
        self._more = bool(reply.next_page_token) and self._begin < _RANKS_MAX
        self._head = TopResponse()
        self._head.CopyFrom(reply)
        del self._head.pages[:]


def page_filter(host: str, domain: str, state: str, category: str) -> PageFilter | None:
    """None: all pages. ValueError: there is no such state."""
    if not (host or domain or state or category):
        return None
    return PageFilter(host=host, domain=domain, state=value(PageState.DESCRIPTOR, state, "state"), category=category)
