// opic-scheduler: the Page Scheduler of one node, beside it.
#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "cli/cluster_nodes.h"
#include "cli/commands.h"
#include "cli/crawl_flags.h"
#include "cli/crawl_run.h"
#include "cli/exit_code.h"
#include "cli/given_options.h"
#include "cli/log_flags.h"
#include "cli/membership_flags.h"
#include "cli/program.h"
#include "cli/status_http.h"
#include "process/scheduler_store.h"
#include "process/signals.h"
#include "rpc/tls_renewal.h"

namespace opic::cli {
namespace {

struct SchedulerProcess {
  CrawlFlags flags;
  std::string listen = "127.0.0.1:7071";
  std::string data = "opic-scheduler-data";
  std::string http;  // address of metrics and health; empty: none
  std::string node;  // who may open the session, by its certificate; empty: any
  bool node_typed = false;
  LogFlags log;
  rpc::TlsFiles tls;
  bool insecure_listen = false;
  bool hold_refused = false;

  // Who reaches loopback is on this machine: a node beside it needs no certificate.
  absl::StatusOr<rpc::ServerSecurity> Security() const {
    rpc::ServerSecurity security;
    security.insecure = insecure_listen;
    if (!rpc::IsLoopback(listen)) {
      ASSIGN_OR_RETURN(security.tls, rpc::ReadTls(tls));
    }
    // On loopback a file or a variable says it for the other programs.
    if (!node.empty() && !security.tls && (node_typed || !rpc::IsLoopback(listen))) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--node ", node, " cannot be checked on ", listen,
          ", where no certificates are used: leave it out, or listen beyond loopback with "
          "--tls-ca, --tls-cert and --tls-key"));
    }
    return security;
  }

  rpc::Gate Access(const rpc::ServerSecurity& security) const {
    return node.empty() || !security.tls ? rpc::Gate()
                                         : rpc::Gate(/*certificates=*/true, {node}, {});
  }

  absl::Status Serve(StatusHttp& pages) const {
    ASSIGN_OR_RETURN(rpc::ServerSecurity security, Security());
    ASSIGN_OR_RETURN(const auto renewal, rpc::TlsRenewal::Follow(security.tls));
    ASSIGN_OR_RETURN(scheduler::Options options, flags.SchedulerOptions());
    options.tells_sessions = true;
    ASSIGN_OR_RETURN(const std::unique_ptr<node::DataFolder> folder,
                     node::DataFolder::Lock(data, /*create=*/true));
    ASSIGN_OR_RETURN(const std::unique_ptr<node::AuditTrail> trail,
                     node::AuditTrail::Open(folder->audit_trail(), {}, nullptr));
    std::unique_ptr<store::Store> store;
    ASSIGN_OR_RETURN(
        const std::unique_ptr<rpc::SchedulerService> service,
        process::OpenScheduler(folder->scheduler(), options, &store, base::RealClock::Get(),
                               {.gate = Access(security), .trail = trail.get()}));
    ASSIGN_OR_RETURN(const std::unique_ptr<rpc::Server> server,
                     rpc::Server::Start(listen, {service->service()}, security));
    RETURN_IF_ERROR(folder->Announce(server->address()));
    base::LogInfo("scheduling on {}", server->address());
    while (!process::SignalCaught()) {
      process::ReopenLogWhenAsked();
      pages.Turn(*service);
      process::AwaitSignal(http_status::Board::kReportEvery);
    }
    pages.Stopping();
    server->SetServing(false);
    absl::Status saved = service->Stop();
    server->Shutdown();
    if (saved.ok()) base::LogInfo("stopped; everything is saved");
    return saved;
  }

  int Run() const {
    process::CatchSignals();
    if (const absl::Status started = log.Start(); !started.ok()) return PrintError(started);
    const absl::StatusOr<std::unique_ptr<StatusHttp>> pages = StatusHttp::Start(http);
    if (!pages.ok()) return PrintError(pages.status());
    const absl::Status status = Serve(**pages);
    if (status.ok()) return kOk;
    (*pages)->Refused(status);
    return Refused(status, hold_refused);
  }
};

}  // namespace

Command AddSchedulerService(CLI::App& app) {
  auto process = std::make_shared<SchedulerProcess>();
  AddSchedulerFlags(app, process->flags);
  app.add_option("--listen", process->listen, "HOST:PORT (default 127.0.0.1:7071)");
  app.add_option("--data", process->data, "data folder (default opic-scheduler-data)");
  AddCertificateFlags(app, process->tls);
  app.add_option(
      "--node", process->node,
      "beyond loopback: the name in the certificate of the node that it works for; others "
      "may only ask (default: whoever has a certificate may do everything)");
  AddHttpFlag(app, process->http);
  app.add_flag("--insecure-listen", process->insecure_listen,
               "listen beyond loopback without certificates; only on a trusted network");
  AddReflectionFlag(app);
  AddHoldFlag(app, process->hold_refused);
  process->log.AddTo(app);
  return {&app,
          [process, &app] {
            process->node_typed = IsTyped(app, "node");
            return process->Run();
          },
          [process, &app] {
            process->node_typed = IsTyped(app, "node");
            RETURN_IF_ERROR(process->flags.SchedulerOptions().status());
            RETURN_IF_ERROR(process->log.Check());
            RETURN_IF_ERROR(CheckHttp(process->http));
            ASSIGN_OR_RETURN(const rpc::ServerSecurity security, process->Security());
            return rpc::CheckListening(process->listen, security);
          }};
}

Program SchedulerProgram(const std::string& commit) {
  Program program;
  program.app = std::make_shared<CLI::App>(
      "opic-scheduler: the Page Scheduler of one opic node, until SIGTERM.", "opic-scheduler");
  program.commands = {AddSchedulerService(*program.app)};
  program.service = true;
  return Complete(std::move(program), commit);
}

int SchedulerMain(int argc, char** argv, const std::string& commit) {
  return ParseAndRun(SchedulerProgram(commit), argc, argv);
}

}  // namespace opic::cli
