#include "rpc/frugal_message.h"

#include <gtest/gtest.h>

#include "opic/v1/importance.pb.h"
#include "opic/v1/peer.pb.h"

namespace opic::rpc {
namespace {

std::string Wire(int urls) {
  v1::BatchGetRequest request;
  for (int i = 0; i < urls; ++i) request.add_urls("");
  request.set_local_only(true);
  return request.SerializeAsString();
}

grpc::ByteBuffer BufferOf(const std::string& bytes) {
  const grpc::Slice first(bytes.substr(0, bytes.size() / 2)), rest(bytes.substr(bytes.size() / 2));
  const grpc::Slice slices[] = {first, rest};
  return grpc::ByteBuffer(slices, 2);
}

TEST(FrugalMessageTest, FieldsAreCountedWithoutDecoding) {
  EXPECT_EQ(CountFields("", 10), 0u);
  EXPECT_EQ(CountFields(Wire(3), 10), 4u);
  EXPECT_EQ(CountFields(Wire(1000), 10), 11u);
  EXPECT_EQ(CountFields(Wire(3) + "\xff", 10), 4u) << "what a decoder would take before it fails";
}

TEST(FrugalMessageTest, TheLimitsAreTheLast) {
  v1::BatchGetRequest request;
  EXPECT_TRUE(ParseFrugally(BufferOf(Wire(3)), 8, 4, &request).ok());
  EXPECT_EQ(request.urls_size(), 3);
  EXPECT_TRUE(absl::IsResourceExhausted(ParseFrugally(BufferOf(Wire(3)), 7, 4, &request)));
  EXPECT_TRUE(absl::IsResourceExhausted(ParseFrugally(BufferOf(Wire(3)), 8, 3, &request)));
  EXPECT_TRUE(absl::IsInvalidArgument(ParseFrugally(BufferOf("\xff"), 8, 3, &request)));
}

TEST(FrugalMessageTest, WhatIsInsideIsCountedToo) {
  v1::PeerMessage message, read;
  for (int i = 0; i < 100; ++i) message.mutable_hello()->add_placements();
  message.set_proof(std::string(32, '\x0a'));
  const std::string wire = message.SerializeAsString();
  EXPECT_TRUE(ParseNestedFrugally(wire, 1000, 100, &read).ok());
  EXPECT_EQ(read.hello().placements_size(), 100);
  EXPECT_TRUE(absl::IsResourceExhausted(ParseNestedFrugally(wire, 1000, 99, &read)));
  // In parts, which a decoder puts together.
  std::string parts;
  for (int i = 0; i < 20; ++i) parts += wire;
  EXPECT_TRUE(absl::IsResourceExhausted(ParseNestedFrugally(parts, 100'000, 100, &read)));
}

}  // namespace
}  // namespace opic::rpc
