"""The calls that a client makes, with the types of their replies: opic.v1 without the calls between nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from google.protobuf import wrappers_pb2
from google.protobuf.message import Message

from opic.v1 import audit_pb2, control_pb2, export_pb2, importance_pb2, scheduler_pb2

Reply = TypeVar("Reply", bound=Message)


@dataclass(frozen=True)
class Call(Generic[Reply]):
    service: str
    method: str
    reply: type[Reply]
    package: str = "opic.v1"

    @property
    def name(self) -> str:
        return f"{self.service}.{self.method}"

    @property
    def path(self) -> str:
        return f"/{self.package}.{self.service}/{self.method}"


GET = Call("Importance", "Get", importance_pb2.GetResponse)
BATCH_GET = Call("Importance", "BatchGet", importance_pb2.BatchGetResponse)
EXPLAIN_URL = Call("Importance", "ExplainUrl", importance_pb2.ExplainUrlResponse)
TOP = Call("Importance", "Top", importance_pb2.TopResponse)
WATCH = Call("Importance", "Watch", importance_pb2.WatchResponse)  # a stream
SITES = Call("Importance", "Sites", importance_pb2.SitesResponse)

GET_STATUS = Call("Control", "GetStatus", control_pb2.GetStatusResponse)
IN_FORCE = Call("Control", "InForce", control_pb2.InForceResponse)
CRAWL_ORDER = Call("Control", "CrawlOrder", control_pb2.CrawlOrderResponse)
WHEN_DUE = Call("Control", "WhenDue", control_pb2.WhenDueResponse)
SHARDS = Call("Control", "Shards", control_pb2.ShardsResponse)
LIST_PUBLICATIONS = Call("Control", "ListPublications", control_pb2.ListPublicationsResponse)
PAUSE = Call("Control", "Pause", control_pb2.PauseResponse)
SET_LIMITS = Call("Control", "SetLimits", control_pb2.SetLimitsResponse)
SET_LOG_LEVEL = Call("Control", "SetLogLevel", control_pb2.SetLogLevelResponse)
TUNE_HOSTS = Call("Control", "TuneHosts", control_pb2.TuneHostsResponse)
TUNE_REFRESH = Call("Control", "TuneRefresh", control_pb2.TuneRefreshResponse)
ADD_SEEDS = Call("Control", "AddSeeds", control_pb2.AddSeedsResponse)
BEGIN_CRAWL = Call("Control", "BeginCrawl", control_pb2.BeginCrawlResponse)
PUBLISH = Call("Control", "Publish", control_pb2.PublishResponse)
WITHDRAW_PUBLICATION = Call("Control", "WithdrawPublication", control_pb2.WithdrawPublicationResponse)
STOP = Call("Control", "Stop", control_pb2.StopResponse)

TAKE_AUDIT = Call("Audit", "Take", audit_pb2.TakeResponse)
READ_EXPORT = Call("Export", "Read", export_pb2.ReadResponse)

SCHEDULER_STATUS = Call("PageScheduler", "Status", scheduler_pb2.PageSchedulerStatusResponse)
EXPLAIN_HOST = Call("PageScheduler", "ExplainHost", scheduler_pb2.ExplainHostResponse)
EXPLAIN_WAITING = Call("PageScheduler", "ExplainWaiting", scheduler_pb2.ExplainWaitingResponse)
SET_BUDGET = Call("PageScheduler", "SetBudget", scheduler_pb2.SetBudgetResponse)

# Request and reply of grpc.health.v1 look on the wire like StringValue and UInt32Value: one string, or one number.
# So no package for that protocol is needed.
CHECK_HEALTH = Call("Health", "Check", wrappers_pb2.UInt32Value, "grpc.health.v1")
SERVING = 1
