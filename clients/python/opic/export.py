"""All pages of one moment, read node by node. An export can be continued after any page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from opic.calls import READ_EXPORT
from opic.errors import Error
from opic.nodes import Nodes
from opic.v1.export_pb2 import ExportedPage, ExportHead, ReadRequest, ReadResponse


@dataclass(frozen=True)
class _Place:
    """Where a reader is: after the page `after` (None: before the first) of the cut of a node."""

    node: str
    cut: int = 0
    after: int | None = None
    cluster: int = 0  # which crawl it is; 0: not known yet

    def token(self) -> str:
        after = "" if self.after is None else f"{self.after:x}"
        return f"{self.cluster:x}/{self.cut:x}/{after}/{self.node}"

    @classmethod
    def of(cls, token: str) -> _Place:
        try:
            cluster, cut, after, node = token.split("/", 3)
            return cls(node, int(cut, 16), int(after, 16) if after else None, int(cluster, 16))
        except ValueError:
            raise Error(f'"{token}" is not the token of an export') from None


class Export(Iterator[ExportedPage]):
    """The pages of one node after the other, each node's in the order of their ids (`word`).

    `token` is the position of the page that was returned last: `client.export(token=...)` continues after it, in this
    process or another one, also after the nodes were restarted.

    A node's pages are those of one moment, its cut. A node that was restarted, or was not asked for two minutes (20
    seconds, when others want exports), has lost its cut and continues with a new one. Then `consistent` is False:
    a page that the node learnt in between may be missing. A shard that moves to another node meanwhile may be read
    twice, or not at all.
    """

    def __init__(self, nodes: Nodes, token: str = "") -> None:
        self._nodes = {_name(node.address.name, node.address.address): node for node in nodes.all}
        names = list(self._nodes)
        self._place = _Place.of(token) if token else _Place(names[0])
        if self._place.node not in self._nodes:
            raise Error(f'the token is of the node "{self._place.node}", which is not one of {", ".join(names)}')
        self._waiting = names[names.index(self._place.node) + 1:]
        self._asking = nodes.only(self._place.node)
        self._pages: Iterator[ExportedPage] = iter(())
        self._last = False  # no more pages of this node are to come
        self._done = False
        self.heads: dict[str, ExportHead] = {}
        """Sums over all pages of a node, by its name; of the nodes that this export has read from."""
        self.consistent = True

    @property
    def token(self) -> str:
        """Empty when everything was read."""
        return "" if self._done else self._place.token()

    def __next__(self) -> ExportedPage:
        while True:
            for page in self._pages:
                self._place = _Place(self._place.node, self._place.cut, page.word, self._place.cluster)
                return page
            if self._last and not self._turn_to_next_node():
                self._done = True
                self._asking.close()
                raise StopIteration
            self._read()

    def _read(self) -> None:
        place = self._place
        reply = self._asking.ask(READ_EXPORT, ReadRequest(cut=place.cut, after=place.after))
        if place.cluster not in (0, reply.head.cluster_id):
            raise Error(f"the token is of another crawl than that of {self._asking.all[0].address}")
        self._note(reply)
        self._place = _Place(place.node, reply.cut, place.after, reply.head.cluster_id)
        self._pages, self._last = iter(reply.pages), reply.last

    def _note(self, reply: ReadResponse) -> None:
        if self._place.cut not in (0, reply.cut):
            self.consistent = False
        self.heads[self._place.node] = reply.head

    def _turn_to_next_node(self) -> bool:
        if not self._waiting:
            return False
        self._asking.close()
        name = self._waiting.pop(0)
        self._place = _Place(name, cluster=self._place.cluster)
        node = self._nodes[name]
        self._asking = Nodes([node.address], self._asking.manner)
        self._last = False
        return True


def _name(name: str, address: str) -> str:
    return name or address
