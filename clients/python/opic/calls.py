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


GET = Call("Importance", "Get", importance_pb2.PageImportance)
BATCH_GET = Call("Importance", "BatchGet", importance_pb2.BatchGetImportanceReply)
EXPLAIN_URL = Call("Importance", "ExplainUrl", importance_pb2.ExplainUrlReply)
TOP = Call("Importance", "Top", importance_pb2.TopReply)
WATCH = Call("Importance", "Watch", importance_pb2.WatchReply)  # a stream
SITES = Call("Importance", "Sites", importance_pb2.SitesReply)

STATUS = Call("Control", "Status", control_pb2.StatusReply)
IN_FORCE = Call("Control", "InForce", control_pb2.InForceReply)
CRAWL_ORDER = Call("Control", "CrawlOrder", control_pb2.BeginCrawlRequest)
WHEN_DUE = Call("Control", "WhenDue", control_pb2.WhenDueReply)
SHARDS = Call("Control", "Shards", control_pb2.ShardsReply)
LIST_PUBLICATIONS = Call("Control", "ListPublications", control_pb2.ListPublicationsReply)
PAUSE = Call("Control", "Pause", control_pb2.PauseReply)
SET_LIMITS = Call("Control", "SetLimits", control_pb2.SetLimitsReply)
SET_LOG_LEVEL = Call("Control", "SetLogLevel", control_pb2.SetLogLevelReply)
TUNE_HOSTS = Call("Control", "TuneHosts", control_pb2.TuneHostsReply)
TUNE_REFRESH = Call("Control", "TuneRefresh", control_pb2.TuneRefreshReply)
ADD_SEEDS = Call("Control", "AddSeeds", control_pb2.AddSeedsReply)
BEGIN_CRAWL = Call("Control", "BeginCrawl", control_pb2.BeginCrawlReply)
PUBLISH = Call("Control", "Publish", control_pb2.PublishReply)
WITHDRAW_PUBLICATION = Call("Control", "WithdrawPublication", control_pb2.WithdrawPublicationReply)
STOP = Call("Control", "Stop", control_pb2.StopReply)

TAKE_AUDIT = Call("Audit", "Take", audit_pb2.AuditReply)
READ_EXPORT = Call("Export", "Read", export_pb2.ReadExportReply)

SCHEDULER_STATUS = Call("PageScheduler", "Status", scheduler_pb2.SchedulerStatus)
EXPLAIN_HOST = Call("PageScheduler", "ExplainHost", scheduler_pb2.HostExplanation)
EXPLAIN_WAITING = Call("PageScheduler", "ExplainWaiting", scheduler_pb2.ExplainWaitingReply)
SET_BUDGET = Call("PageScheduler", "SetBudget", scheduler_pb2.SetBudgetReply)

# Request and reply of grpc.health.v1 look on the wire like StringValue and UInt32Value: one string, or one number.
# So no package for that protocol is needed.
CHECK_HEALTH = Call("Health", "Check", wrappers_pb2.UInt32Value, "grpc.health.v1")
SERVING = 1
