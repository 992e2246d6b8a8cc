"""The best pages, fetched part by part."""

from __future__ import annotations

from collections.abc import Iterator

from opic.calls import TOP
from opic.errors import Partial
from opic.nodes import Nodes
from opic.v1.importance_pb2 import PageFilter, PageImportance, PageState, TopReply, TopRequest


class Ranking(Iterator[PageImportance]):
    """The most important pages, best first, of which a part is asked for when it is needed.

    Each part is a ranking of its own moment: a page that changes its place meanwhile may be in two parts, or in none.
    The first 100,000 places can be asked for; all pages of one moment are read by an Export.
    """

    def __init__(self, nodes: Nodes, request: TopRequest, count: int, partial: bool) -> None:
        self._nodes, self._request, self._left, self._partial = nodes, request, count, partial
        self._pages: Iterator[PageImportance] = iter(())
        self._more = True
        self._head: TopReply | None = None

    @property
    def head(self) -> TopReply:
        """What the latest part says of the whole: known, matching, error_bound, missing_nodes ... Its `pages` are
        empty."""
        if self._head is None:
            self._read()
        assert self._head is not None
        return self._head

    @property
    def token(self) -> str:
        """Where the next part begins, as `page_token` of Client.top; the pages of the present part are before it.
        Empty: there is none, or all of `count` were asked for and no part followed."""
        return self._request.page_token

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
        self._request.count = min(self._left, 100_000)
        reply = self._nodes.ask(TOP, self._request)
        if reply.missing_nodes and not self._partial:
            raise Partial(list(reply.missing_nodes), call=TOP.name, node="", reply=reply)
        self._request.page_token = reply.next_page_token
        self._pages, self._more = iter(list(reply.pages)), bool(reply.next_page_token)
        self._head = TopReply()
        self._head.CopyFrom(reply)
        del self._head.pages[:]


def page_filter(host: str, domain: str, state: str) -> PageFilter | None:
    """None: all pages. ValueError: there is no such state."""
    if not (host or domain or state):
        return None
    names = {name.removeprefix("PAGE_STATE_").lower(): name for name in PageState.keys()}
    del names["unspecified"]
    if state and state not in names:
        raise ValueError(f'state "{state}": must be one of {", ".join(names)}')
    return PageFilter(host=host, domain=domain, state=names[state] if state else None)
