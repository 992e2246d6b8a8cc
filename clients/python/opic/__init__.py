"""A client for the nodes of opic, a web crawler that ranks pages while it crawls.

    import opic

    with opic.Client.from_cluster_file("cluster.json", tls=opic.Tls.from_folder("certs")) as client:
        for page in client.top(100, host="example.org"):
            print(page.importance, page.url)
"""

from opic.client import Client, Health
from opic.control import Control
from opic.errors import (Aborted, AlreadyExists, DeadlineExceeded, Error, FailedPrecondition, InvalidArgument,
                         NotEverywhere, NotFound, OutOfRange, Partial, PermissionDenied, ResourceExhausted,
                         Unavailable, Unimplemented)
from opic.export import Export
from opic.ranking import Ranking
from opic.settings import Address, Tls
from opic.words import word

__all__ = ["Aborted", "Address", "AlreadyExists", "Client", "Control", "DeadlineExceeded", "Error", "Export",
           "FailedPrecondition", "Health", "InvalidArgument", "NotEverywhere", "NotFound", "OutOfRange", "Partial",
           "PermissionDenied", "Ranking", "ResourceExhausted", "Tls", "Unavailable", "Unimplemented", "word"]
