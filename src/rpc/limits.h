// What calls from outside may cost a process in memory, whoever makes them and however many.
#pragma once

#include <cstddef>

#include "cluster/exchange.h"

namespace opic::rpc {

// No longer message is taken in by a server: a sealed batch or a lease message of a peer, or what a
// node tells its scheduler at once, with room to spare.
inline constexpr int kMessageBytesMax = 2 * int{cluster::kBatchBytesMax};
// Limits of a question, checked before it is decoded.
inline constexpr size_t kQuestionBytesMax = size_t{4} << 20;
// URLs in a question. A page is described in 7 kB at most, so that the answer fits into the 4 MB
// that gRPC's clients take unless they are told otherwise.
inline constexpr int kBatchUrlsMax = 500;
// Limit of the first message from an unknown peer: Hello, with an entry for every shard.
inline constexpr size_t kHelloBytesMax = size_t{1} << 20;

// What gRPC may hold of messages that have come in, over all connections of a server.
inline constexpr size_t kTransportBytesMax = size_t{128} << 20;
// Limit of all questions that wait for their answers; more are refused.
inline constexpr size_t kQuestionsBytesMax = size_t{64} << 20;
// A question in memory against the wire: strings and lists have heads.
inline constexpr size_t kDecodedTimes = 2;
// What `opic status` tells: calls from outside take no more, besides the connections themselves.
inline constexpr size_t kCallsBytesMax = kTransportBytesMax + kDecodedTimes * kQuestionsBytesMax;

}  // namespace opic::rpc
