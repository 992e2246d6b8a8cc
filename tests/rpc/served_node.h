// A scripted node behind its services, and clients to ask it.
#pragma once

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <memory>

#include "rpc/node_client.h"
#include "rpc/node_services.h"
#include "rpc/server.h"
#include "tests/rpc/scripted_node.h"

namespace opic::rpc {

class ServedNodeTest : public testing::Test {
 protected:
  void SetUp() override {
    auto server = Server::Start("127.0.0.1:0", services_.services());
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    services_.Open();
    client_ = NodeClient::To(server_->address(), absl::Seconds(20));
  }
  void TearDown() override {
    services_.Stop();
    server_->Shutdown();
  }
  std::shared_ptr<grpc::Channel> Channel() { return ChannelTo(server_->address()); }
  // Of a client that was told nothing of sizes: gRPC takes 4 MB then.
  std::shared_ptr<grpc::Channel> OrdinaryChannel() {
    return grpc::CreateChannel(server_->address(), grpc::InsecureChannelCredentials());
  }

  ScriptedNode node_;
  NodeServices services_{node_, {}};
  std::unique_ptr<Server> server_;
  std::unique_ptr<NodeClient> client_;
};

}  // namespace opic::rpc
