#include "store/rocks_tails.h"

#include <rocksdb/merge_operator.h>

#include <deque>

#include "store/value_tail.h"

namespace opic::store {
namespace {

std::string_view Bytes(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

class TailMerge final : public rocksdb::MergeOperator {
 public:
  // Never fails: in a compaction that would end all writing.
  bool FullMergeV2(const MergeOperationInput& in, MergeOperationOutput* out) const override {
    const std::optional<TailedValue> value =
        SplitTail(in.existing_value == nullptr ? "" : Bytes(*in.existing_value));
    if (!value) return true;  // an empty value
    const std::string_view tail = Bytes(in.operand_list.back());
    out->new_value.reserve(value->head.size() + tail.size() + 2);
    out->new_value.assign(value->head);
    AppendTail(out->new_value, tail);
    return true;
  }

  bool PartialMerge(const rocksdb::Slice&, const rocksdb::Slice&, const rocksdb::Slice& later,
                    std::string* tail, rocksdb::Logger*) const override {
    tail->assign(later.data(), later.size());
    return true;
  }

  bool PartialMergeMulti(const rocksdb::Slice&, const std::deque<rocksdb::Slice>& tails,
                         std::string* tail, rocksdb::Logger*) const override {
    tail->assign(tails.back().data(), tails.back().size());
    return true;
  }

  const char* Name() const override { return "opic.ReplaceTail"; }
};

}  // namespace

std::shared_ptr<rocksdb::MergeOperator> ReplacingTails() { return std::make_shared<TailMerge>(); }

}  // namespace opic::store
