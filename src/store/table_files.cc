#include "store/table_files.h"

#include <rocksdb/file_system.h>

#include <optional>
#include <string>
#include <string_view>

#include "base/encoding.h"

namespace opic::store {
namespace {

// Of a table file (RocksDB's block-based table, format versions 1 to 5). The footer is its end:
// kind of checksums, place of the list of its parts, place of the index, padding, version, magic.
constexpr size_t kFooterBytes = 53, kMagicBytes = 8, kTrailerBytes = 5;
constexpr uint64_t kMagic = 0x88e241b785f4cff7;
constexpr uint8_t kXxh3 = 4;  // the kind of checksums, as the options say
constexpr uint64_t kBlockBytesMax = 1 << 20;
constexpr std::string_view kProperties = "rocksdb.properties";

// Where a block lies; its trailer comes behind.
struct BlockHandle {
  uint64_t offset = 0, bytes = 0;
};

// The checksum of a block with its trailer: one byte that says how it is compressed, and the
// checksum of both.
bool ChecksumHolds(std::string_view block) {
  const std::string_view content = block.substr(0, block.size() - kTrailerBytes);
  base::Decoder trailer(block.substr(content.size()));
  const uint32_t compression = trailer.Byte();
  const auto sum = static_cast<uint32_t>(base::Hash64(content)) ^ compression * 0x6b9083d9;
  return trailer.Fixed32() == sum;
}

// Where the list of parts says that the properties are. The keys of the list are whole.
std::optional<BlockHandle> PropertiesIn(std::string_view list) {
  base::Decoder in(list);
  while (in.ok() && !in.done()) {
    const uint64_t shared = in.Varint(), own = in.Varint(), value_bytes = in.Varint();
    const std::string_view key = in.Raw(own);
    base::Decoder value(in.Raw(value_bytes));
    if (!in.ok() || shared != 0) return std::nullopt;
    if (key != kProperties) continue;
    const BlockHandle handle{value.Varint(), value.Varint()};
    return value.done() ? std::optional(handle) : std::nullopt;
  }
  return std::nullopt;
}

class TableFile {
 public:
  TableFile(rocksdb::FSRandomAccessFile& file, uint64_t bytes) : file_(file), bytes_(bytes) {}

  // Corruption: RocksDB must not see it. Whatever else is wrong RocksDB finds itself.
  rocksdb::IOStatus Check() {
    if (bytes_ < kFooterBytes) return rocksdb::IOStatus::OK();
    std::string footer, list, properties;
    rocksdb::IOStatus read = Read({bytes_ - kFooterBytes, kFooterBytes}, &footer);
    if (!read.ok()) return read;
    base::Decoder magic(std::string_view(footer).substr(kFooterBytes - kMagicBytes));
    if (magic.Fixed64() != kMagic) return rocksdb::IOStatus::OK();
    base::Decoder in(footer);
    if (in.Byte() != kXxh3)
      return rocksdb::IOStatus::Corruption("its kind of checksums is damaged");
    const BlockHandle of_list{in.Varint(), in.Varint()};
    if (!in.ok() || !IsInside(of_list)) return rocksdb::IOStatus::OK();
    read = Read({of_list.offset, of_list.bytes + kTrailerBytes}, &list);
    if (!read.ok()) return read;
    if (!ChecksumHolds(list))
      return rocksdb::IOStatus::Corruption("the list of its parts is damaged");
    const std::optional<BlockHandle> handle =
        PropertiesIn(std::string_view(list).substr(0, of_list.bytes));
    if (!handle || !IsInside(*handle)) return rocksdb::IOStatus::OK();
    read = Read({handle->offset, handle->bytes + kTrailerBytes}, &properties);
    if (!read.ok() || ChecksumHolds(properties)) return read;
    return rocksdb::IOStatus::Corruption("its properties are damaged");
  }

 private:
  bool IsInside(BlockHandle handle) const {
    return handle.bytes <= kBlockBytesMax && handle.offset <= bytes_ &&
           handle.bytes + kTrailerBytes <= bytes_ - handle.offset;
  }
  rocksdb::IOStatus Read(BlockHandle handle, std::string* content) {
    content->resize(handle.bytes);
    rocksdb::Slice read;
    rocksdb::IOStatus status = file_.Read(handle.offset, handle.bytes, rocksdb::IOOptions(), &read,
                                          content->data(), nullptr);
    if (!status.ok()) return status;
    if (read.size() != handle.bytes) return rocksdb::IOStatus::Corruption("its end is missing");
    *content = read.ToString();
    return status;
  }

  rocksdb::FSRandomAccessFile& file_;
  const uint64_t bytes_;
};

class CheckedTables final : public rocksdb::FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;
  const char* Name() const override { return "CheckedTables"; }

  rocksdb::IOStatus NewRandomAccessFile(const std::string& path,
                                        const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                                        rocksdb::IODebugContext* context) override {
    rocksdb::IOStatus status = target()->NewRandomAccessFile(path, options, file, context);
    if (!status.ok() || !path.ends_with(".sst") || options.use_direct_reads) return status;
    uint64_t bytes = 0;
    status = target()->GetFileSize(path, rocksdb::IOOptions(), &bytes, context);
    if (status.ok()) status = TableFile(**file, bytes).Check();
    if (status.ok()) return status;
    file->reset();
    return status.IsCorruption() ? rocksdb::IOStatus::Corruption(path, status.getState()) : status;
  }
};

}  // namespace

std::unique_ptr<rocksdb::Env> WithCheckedTables(rocksdb::Env& files) {
  return rocksdb::NewCompositeEnv(std::make_shared<CheckedTables>(files.GetFileSystem()));
}

}  // namespace opic::store
