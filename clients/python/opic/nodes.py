"""How nodes are asked: connections, credentials, deadlines, and retries."""

from __future__ import annotations

import getpass
import random
import socket
import threading
import time
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TypeVar

import grpc
from google.protobuf.message import Message

from opic.calls import Call
from opic.errors import Error, NotEverywhere, Unavailable, is_lasting, of
from opic.settings import Address, Tls

Reply = TypeVar("Reply", bound=Message)

_MESSAGE_BYTES_MAX = 64 << 20  # as in the command `opic`
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 2.0  # seconds between two tries
_AT_ONCE = 16  # nodes that are told something at the same time


@dataclass(frozen=True)
class Manner:
    """How to ask.

    patience     most seconds to wait for the answer to a call, all attempts included
    retry        seconds for which a call that nobody answers (UNAVAILABLE) is repeated; 0: it is made once
    local_only   ask for the pages of the node that is asked, not of its whole cluster
    """

    tls: Tls | None = None
    token: str = ""
    patience: float = 60.0
    retry: float = 5.0
    local_only: bool = False


class Node:
    """The connection to one node, which is made when it is first used. Thread-safe."""

    def __init__(self, address: Address, manner: Manner) -> None:
        self.address = address
        self._options: list[tuple[str, int | str]] = [
            ("grpc.max_receive_message_length", _MESSAGE_BYTES_MAX),
            ("grpc.min_reconnect_backoff_ms", 5_000),  # the time for one attempt to connect
            ("grpc.use_local_subchannel_pool", 1),  # so that a new channel is a new connection
            # A node that vanishes without a word is UNAVAILABLE after 20 seconds.
            ("grpc.keepalive_time_ms", 10_000),
            ("grpc.keepalive_timeout_ms", 10_000),
            ("grpc.http2.max_pings_without_data", 0),  # no limit
        ]
        self._credentials = None
        if manner.tls is not None:
            if address.name:
                self._options.append(("grpc.ssl_target_name_override", address.name))
            ca, key, certificate = manner.tls.read()
            self._credentials = grpc.ssl_channel_credentials(ca, key, certificate)
        # For the nodes' audit trails; not verified, unlike the certificate and the token.
        self._metadata = [("opic-user", _user())]
        if manner.token:
            self._metadata.append(("authorization", f"Bearer {manner.token}"))
        self._lock = threading.Lock()
        self._channel = self._connect()

    @property
    def name(self) -> str:
        return self.address.name or self.address.address

    def ask(self, call: Call[Reply], request: Message, patience: float) -> Reply:
        """Makes the call once."""
        channel = self._channel
        method = channel.unary_unary(call.path, type(request).SerializeToString, call.reply.FromString)
        try:
            reply: Reply = method(request, timeout=patience, metadata=self._metadata)
        except grpc.RpcError as error:
            refused = of(error, call.name, str(self.address))
            if isinstance(refused, Unavailable):
                self._forget(channel)
            raise refused from None
        return reply

    def listen(self, call: Call[Reply], request: Message) -> Iterator[Reply]:
        """The replies of a stream. An Error: the stream has failed."""
        channel = self._channel
        method = channel.unary_stream(call.path, type(request).SerializeToString, call.reply.FromString)
        stream = method(request, metadata=self._metadata)
        try:
            yield from stream
        except grpc.RpcError as error:
            refused = of(error, call.name, str(self.address))
            if isinstance(refused, Unavailable):
                self._forget(channel)
            raise refused from None
        finally:
            stream.cancel()

    def close(self) -> None:
        self._channel.close()

    def _connect(self) -> grpc.Channel:
        if self._credentials is None:
            return grpc.insecure_channel(self.address.address, self._options)
        return grpc.secure_channel(self.address.address, self._credentials, self._options)

    def _forget(self, channel: grpc.Channel) -> None:
        """Replaces a channel that has failed. It would reconnect only while a call waits on it and refuse calls at once
        until then, so it might not notice for a long time that the node is back. Calls of other threads that are under
        way on it are not disturbed."""
        with self._lock:
            if self._channel is channel:
                self._channel = self._connect()


class Nodes:
    """The nodes that a client knows. Thread-safe."""

    def __init__(self, addresses: Sequence[Address], manner: Manner) -> None:
        self.manner = manner
        self.all = [Node(address, manner) for address in addresses]
        self._first = 0  # the node that answered last; only a hint, so it needs no lock

    def only(self, name: str) -> Nodes:
        """The node of that name, or at that address, for questions about itself."""
        addresses = [node.address for node in self.all if name in (node.address.name, node.address.address)]
        if not addresses:
            raise Error(f'"{name}" is not one of the nodes {", ".join(str(node.address) for node in self.all)}')
        return Nodes(addresses, replace(self.manner, local_only=True))

    def ask(self, call: Call[Reply], request: Message) -> Reply:
        """Asks any node: first the one that answered last, then the others."""
        first, count = self._first, len(self.all)
        order = [(first + step) % count for step in range(count)]
        index, reply = self._ask(call, request, order)
        self._first = index
        return reply

    def watch(self, call: Call[Reply], request: Message) -> Iterator[Reply]:
        """Listens to one node; when that stops answering, to another one."""
        failing_since: float | None = None
        pause = _FIRST_PAUSE
        while True:
            index = self._first
            try:
                for reply in self.all[index].listen(call, request):
                    failing_since, pause = None, _FIRST_PAUSE
                    yield reply
                return
            except Unavailable:
                now = time.monotonic()
                failing_since = now if failing_since is None else failing_since
                if now + pause > failing_since + self.manner.retry:
                    raise
            self._first = (index + 1) % len(self.all)
            time.sleep(pause * random.uniform(0.5, 1.0))
            pause = min(2 * pause, _LONGEST_PAUSE)

    def tell(self, call: Call[Reply], request: Message, to: Collection[str] | None = None) -> dict[str, Reply]:
        """Tells every node, or those of the names `to`, several at once. Returns the replies by name. NotEverywhere: some
        could not be told. When all refuse for one reason that lasts, it is that error, of the first of them."""
        told = [index for index, node in enumerate(self.all) if to is None or node.name in to]
        replies: dict[str, Reply] = {}
        errors: dict[str, Error] = {}

        def tell_one(index: int) -> Reply | Error:
            try:
                return self._ask(call, request, [index])[1]
            except Error as error:
                return error

        with ThreadPoolExecutor(_AT_ONCE) as threads:
            for index, outcome in zip(told, threads.map(tell_one, told)):
                if isinstance(outcome, Error):
                    errors[self.all[index].name] = outcome
                else:
                    replies[self.all[index].name] = outcome
        if errors:
            refused = list(errors.values())
            alike = len({(type(error), error.reason) for error in refused}) == 1 and is_lasting(refused[0])
            if len(self.all) == 1 or (alike and not replies):
                raise refused[0]
            raise NotEverywhere(errors, replies)
        return replies

    def close(self) -> None:
        for node in self.all:
            node.close()

    def _ask(self, call: Call[Reply], request: Message, order: Sequence[int]) -> tuple[int, Reply]:
        """The first of these nodes that answers, and its answer. After UNAVAILABLE, and only then, the call is repeated
        there or elsewhere: all calls of this package may be repeated, but other refusals would stay the same."""
        begun = time.monotonic()
        end, pause = begun + self.manner.patience, _FIRST_PAUSE
        while True:
            for index in order:
                try:
                    return index, self.all[index].ask(call, request, max(end - time.monotonic(), 0.001))
                except Unavailable as error:
                    refused = error
            now = time.monotonic()
            if now + pause > min(end, begun + self.manner.retry):
                raise refused
            time.sleep(pause * random.uniform(0.5, 1.0))  # so that many clients do not come back at once
            pause = min(2 * pause, _LONGEST_PAUSE)


def _user() -> str:
    """Who calls, in the form of the command `opic`: "anna@desk"."""
    try:
        name = getpass.getuser()
    except (KeyError, OSError):
        name = "somebody"
    return "".join(byte for byte in f"{name}@{socket.gethostname()}" if " " < byte <= "~")[:128]
