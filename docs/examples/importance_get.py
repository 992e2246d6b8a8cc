#!/usr/bin/python3
"""Asks a running opic node how important pages are, from Python.

Once, on Debian 12 (python3-grpcio, python3-protobuf, protobuf-compiler, libprotobuf-dev,
protobuf-compiler-grpc), in the repository:

    mkdir -p build/python
    protoc -I proto --python_out=build/python --grpc_out=build/python \\
           --plugin=protoc-gen-grpc=/usr/bin/grpc_python_plugin proto/opic/v1/*.proto

Then, with a crawl under way (or `opic crawl --stay`):

    PYTHONPATH=build/python docs/examples/importance_get.py "$(cat opic-data/node.address)" http://example.org/
"""

import sys

import grpc
from opic.v1 import importance_pb2, importance_pb2_grpc


def main() -> int:
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    address, urls = sys.argv[1], sys.argv[2:]
    all_known = True
    with grpc.insecure_channel(address) as channel:
        importance = importance_pb2_grpc.ImportanceStub(channel)
        for url in urls:
            try:
                page = importance.Get(importance_pb2.GetRequest(url=url), timeout=10).page
            except grpc.RpcError as error:
                print(f"{url}: {error.code().name}: {error.details()}", file=sys.stderr)
                return 1
            all_known &= page.known
            if page.known:
                state = importance_pb2.PageState.Name(page.state).removeprefix("PAGE_STATE_").lower()
                print(f"{page.importance:.6f}  {page.relative:8.1f} x average  {state:12}  {page.url}")
            else:
                print(f"not known: {page.url}")
    return 0 if all_known else 5


if __name__ == "__main__":
    sys.exit(main())
