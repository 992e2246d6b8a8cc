// Implements a part of node/ledger_loop.h. What comes in for the ledger's loop: reports, sessions
// and messages in their order, and before them directives and questions.
#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "base/status_macros.h"
#include "desk/store_failure.h"
#include "node/attention.h"
#include "node/host_rule_book.h"
#include "node/ledger_loop.h"
#include "node/refresh_plan.h"

namespace opic::node {
namespace {

// What a report takes while it waits, about.
size_t BytesOf(const desk::Report& report) {
  const auto of_links = [](const std::vector<ledger::Link>& links) {
    size_t bytes = 0;
    for (const ledger::Link& link : links) bytes += sizeof(link) + link.url.size();
    return bytes;
  };
  size_t bytes = sizeof(report) + of_links(report.discovered) + report.log_line.size();
  if (report.visit) bytes += of_links(report.visit->links) + of_links(report.visit->discovered);
  return bytes;
}

size_t BytesOf(const cluster::Message& message) {
  const auto of_placements = [](const cluster::Acknowledgement& told) {
    return told.placements.size() * sizeof(ledger::Placement);
  };
  size_t bytes = sizeof(message);
  if (const auto* sealed = std::get_if<cluster::Sealed>(&message)) {
    bytes += sealed->bytes.size();
    if (sealed->acknowledgement) bytes += of_placements(*sealed->acknowledgement);
  }
  if (const auto* told = std::get_if<cluster::Acknowledgement>(&message))
    bytes += of_placements(*told);
  if (const auto* part = std::get_if<cluster::PlanPart>(&message))
    bytes += part->payments.size() * sizeof(cluster::PlannedPayment);
  return bytes;
}

void EndOnFailure(const absl::Status& status) { desk::EndOnStoreFailure("the ledger", status); }

}  // namespace

void LedgerLoop::TakeReport(desk::Report report) {
  base::HeldBytes held = reports_.Await(BytesOf(report));
  const bool fills_a_group = reports_.held() >= options_.memory.group();
  Reported reported{std::move(report), std::move(held)};
  if (fills_a_group) {
    inbox_.Push(std::move(reported));
  } else {
    inbox_.PushPatiently(std::move(reported));
  }
}

void LedgerLoop::TakeMessage(schedule::ToNode message) {
  const auto* directive = std::get_if<schedule::Directive>(&message);
  if (directive == nullptr) {
    inbox_.Push(std::move(message));
    return;
  }
  {
    absl::MutexLock lock(&mu_);
    new_directive_ = *directive;
  }
  inbox_.Push(Wake());  // wakes the loop
}

// What brings or acknowledges cash waits with the reports for a group. While little waits, the
// peer's next message is read at once: else a group would take in one of each peer, and peers that
// write more groups a second would be ever further ahead. What comes behind Hello is read when
// Hello was answered.
void LedgerLoop::TakePeerMessage(PeerMessage message) {
  if (std::holds_alternative<cluster::Hello>(message.message)) {
    inbox_.Push(std::move(message));
    return;
  }
  message.held = base::HeldBytes(peer_messages_);
  message.held.Set(BytesOf(message.message));
  const bool little = !peer_messages_.full() && inbox_.size() < kInboxItems / 4;
  std::function<void()> read_next;
  if (little) read_next.swap(message.read_next);
  inbox_.PushPatiently(std::move(message));
  if (read_next) read_next();  // now that this one is in its place
}

// The scheduler asks only after Hello, which is said when this is taken from the inbox.
void LedgerLoop::BeginSession() {
  {
    absl::MutexLock lock(&mu_);
    new_directive_.reset();  // of the session before
  }
  inbox_.Push(SessionBegins());
}

bool LedgerLoop::Run(std::function<void()> work) {
  {
    absl::MutexLock lock(&mu_);
    if (answered_all_) return false;
    asked_.push_back(std::move(work));
  }
  return inbox_.Push(Wake());
}

// What came after the last turn is dropped, and whoever waits for it hears so.
void LedgerLoop::DropAsked() {
  std::vector<std::function<void()>> dropped;
  {
    absl::MutexLock lock(&mu_);
    answered_all_ = true;
    dropped.swap(asked_);
  }
}

void LedgerLoop::RunAsked() {
  std::vector<std::function<void()>> asked;
  {
    absl::MutexLock lock(&mu_);
    asked.swap(asked_);
  }
  for (const std::function<void()>& work : asked) work();
}

// How many reports make a turn: a synced write for each would cost more than all else does. Those
// of a crawl that waits for what they have found are not kept waiting.
size_t LedgerLoop::ReportsAwaited() const {
  if (phase_ != Phase::kCrawling) return 1;
  const uint64_t ordered = ledger_.books().table().totals().ordered;
  const uint64_t not_queued = desk_->in_progress() + Withheld();
  return ordered >= not_queued + kGroupVisits ? kGroupVisits : 1;
}

void LedgerLoop::Gather(size_t most, absl::Duration patience) {
  if (!gathered_.empty()) return;  // too large for the turn before
  std::vector<Item> items = inbox_.PopSome(most, patience, ReportsAwaited());
  std::move(items.begin(), items.end(), std::back_inserter(gathered_));
}

uint64_t LedgerLoop::HeldBy(const Item& item) {
  if (const auto* reported = std::get_if<Reported>(&item)) return reported->held.bytes();
  if (const auto* message = std::get_if<PeerMessage>(&item)) return message->held.bytes();
  return 0;
}

// As many as a group may take in, at least one; in their order.
void LedgerLoop::TakeGathered() {
  uint64_t bytes = 0;
  while (!gathered_.empty()) {
    const uint64_t next = HeldBy(gathered_.front());
    if (bytes > 0 && bytes + next > options_.memory.group()) return;
    bytes += next;
    Item item = std::move(gathered_.front());
    gathered_.pop_front();
    std::visit([this](auto& value) { Take(std::move(value)); }, item);
  }
}

// Not so while an order for the page was carried out: its shard was found to be another node's. A
// scheduler may order what there never was.
bool LedgerLoop::IsOurs(PageId page) const {
  return page.shard().value < ledger_.charter().shards && ledger_.moves().Workable(page.shard()) &&
         ledger_.books().table().Find(page);
}

void LedgerLoop::Take(Reported reported) {
  desk::Report& report = reported.report;
  held_.push_back(std::move(reported.held));
  if (!report.discovered.empty()) ledger_.Seed(report.discovered);
  if (report.rowless) {
    if (IsOurs(*report.rowless)) {
      EndOnFailure(ledger::LacksRow(*report.rowless));
    }
    handled_.push_back(*report.rowless);
  }
  if (!report.visit) return;
  handled_.push_back(report.visit->page);
  if (!report.log_line.empty()) lines_.emplace_back(report.visit->page, std::move(report.log_line));
  visits_.push_back(*std::move(report.visit));
}

void LedgerLoop::Take(PeerSessionChange change) {
  if (change.connected) {
    exchange_->OnConnected(change.peer, clock_.Steady());
    if (relay_ != nullptr) relay_->OnConnected(change.peer);  // Hello was said
  } else {
    exchange_->OnDisconnected(change.peer);
  }
}

// The next message may come in while this one is worked on.
void LedgerLoop::Take(PeerMessage message) {
  if (message.read_next) message.read_next();
  if (const auto* part = std::get_if<cluster::PlanPart>(&message.message)) {
    if (exchange_->IsConnected(message.from)) settler_.Take(message.from, *part);
    return;
  }
  EndOnFailure(exchange_->OnMessage(message.from, std::move(message.message), clock_.Steady()));
}

void LedgerLoop::Take(schedule::ToNode message) {
  if (auto* released = std::get_if<schedule::Released>(&message)) {
    mover_.Take(std::move(*released));
  } else if (auto* adopted = std::get_if<schedule::Adopted>(&message)) {
    mover_.Take(*adopted);
  } else if (const auto* withheld = std::get_if<schedule::Withheld>(&message)) {
    withheld_ = withheld->pages;
  }
}

void LedgerLoop::Take(SessionBegins) {
  ledger_.table().ClearOrdered();
  if (refresh_) refresh_->OffersWereLost();
  attention_->OffersWereLost();
  schedule::NodeHello hello;
  hello.node = options_.membership ? options_.membership->own().name : "node0";
  absl::flat_hash_map<PageId, std::string> hosts;  // of orders that no worker has begun
  for (const schedule::InFlight& fetch : desk_->InFlight()) {
    if (fetch.host.empty()) hosts.try_emplace(fetch.page, HostOf(fetch.page));
  }
  if (host_rules_ != nullptr) {
    hello.rules = host_rules_->list();
    hello.groups = host_rules_->groups();
  }
  hello.place = place_;
  hello.given_up_again = GivenUpAgain();
  if (relay_ != nullptr) {
    // A request that is held back may last twice as long (fetch/fetcher.h).
    hello.lending =
        schedule::Lending{.self = relay_->self().node,
                          .nodes = static_cast<uint32_t>(options_.membership->map.nodes().size()),
                          .process = relay_->self().process,
                          .request_time_max = 2 * options_.fetch.total_timeout};
  }
  directive_.reset();
  in_session_ = true;
  withheld_ = 0;
  capacity_sent_ = schedule::Capacity();
  std::vector<PageId> in_progress;
  desk_->BeginSession(
      [&](std::vector<schedule::InFlight> in_flight, const std::vector<PageId>& not_handled) {
        for (schedule::InFlight& fetch : in_flight) {
          if (fetch.host.empty()) fetch.host = hosts[fetch.page];
        }
        hello.in_flight = std::move(in_flight);
        in_progress = not_handled;
        link_->Send(std::move(hello));
      });
  for (PageId page : in_progress) {
    if (page.shard().value >= ledger_.charter().shards) continue;  // a robots.txt of another host
    const std::optional<page_table::Page> known = ledger_.table().Find(page);
    if (known && !known->done) ledger_.table().SetOrdered(page, true);
  }
  mover_.BeginSession();
  UpdateCapacity();
}

// Of an order that no worker has begun; empty for a page that is not known, as for a robots.txt of
// another host.
std::string LedgerLoop::HostOf(PageId page) {
  const absl::StatusOr<std::optional<std::string>> row =
      store_.Get(store::Table::kPage, ledger::KeyOf(page));
  EndOnFailure(row.status());
  if (!*row) return "";
  const absl::StatusOr<ledger::PageRow> named = ledger::ReadPageRow(page, **row);
  EndOnFailure(named.status());
  const std::optional<url::Url> url = url::Parse(named->url);
  return url ? std::string(url->host()) : "";
}

}  // namespace opic::node
