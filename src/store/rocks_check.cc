#include "store/rocks_check.h"

#include <rocksdb/metadata.h>
#include <rocksdb/sst_file_reader.h>

#include <algorithm>
#include <set>

#include "absl/strings/str_join.h"
#include "base/disk_failure.h"
#include "base/encoding.h"
#include "base/status_macros.h"
#include "store/rocks_options.h"
#include "store/rocks_status.h"

namespace opic::store {
namespace {

constexpr size_t kNamedMax = 10;  // damaged files

absl::Status Damaged(const std::string& folder, std::string_view what) {
  return absl::DataLossError(absl::StrCat("the store ", folder, " is damaged: ", std::string(what),
                                          "; restore the data folder from a backup"));
}

// The first record of a log with its header, or the first part of one that is longer than a block;
// empty: there is none, or it is torn. (Record types 1 and 2: whole, and the first part of one.)
absl::StatusOr<std::string> FirstRecordOf(const std::string& path, rocksdb::Env& env) {
  constexpr size_t kHeaderBytes = 7, kBlockBytes = size_t{32} << 10;
  std::unique_ptr<rocksdb::SequentialFile> file;
  RETURN_IF_ERROR(FromRocks(env.NewSequentialFile(path, &file, {})));
  std::string block(kBlockBytes, '\0');
  rocksdb::Slice read;
  RETURN_IF_ERROR(FromRocks(file->Read(block.size(), &read, block.data())));
  if (read.size() < kHeaderBytes || read[6] < 1 || read[6] > 2) return "";
  const size_t bytes =
      kHeaderBytes + static_cast<uint8_t>(read[4]) + 256 * size_t{static_cast<uint8_t>(read[5])};
  return read.size() < bytes ? "" : std::string(read.data(), bytes);
}

absl::Status CheckTableFile(const rocksdb::LiveFileMetaData& file, rocksdb::Env& env) {
  rocksdb::Options options;
  options.env = &env;
  rocksdb::SstFileReader reader(options);
  const rocksdb::Status opened = reader.Open(file.db_path + file.name);
  return FromRocks(opened.ok() ? reader.VerifyChecksum(rocksdb::ReadOptions()) : opened);
}

}  // namespace

absl::Status CheckFamilies(const std::string& folder, const RocksOptions& options) {
  std::vector<std::string> listed;
  const rocksdb::Status read =
      rocksdb::DB::ListColumnFamilies(DatabaseOptions(options), folder, &listed);
  if (!read.ok()) {
    const absl::Status status = FromRocks(read);
    // A file that is not there, or whose end is.
    const bool disk = base::IsDiskFailure(status) && !read.IsPathNotFound() && !read.IsNotFound();
    return disk ? status : Damaged(folder, read.ToString());
  }
  const std::set<std::string> there(listed.begin(), listed.end());
  for (const rocksdb::ColumnFamilyDescriptor& family : Families(options)) {
    if (!there.contains(family.name))
      return Damaged(folder, "its table " + family.name + " is missing");
  }
  return absl::OkStatus();
}

absl::Status CheckLogs(const std::string& folder, rocksdb::Env& env) {
  std::vector<std::string> names;
  RETURN_IF_ERROR(FromRocks(env.GetChildren(folder, &names)));
  std::erase_if(names, [](const std::string& name) { return !name.ends_with(".log"); });
  std::sort(names.begin(), names.end());  // as by number: they have six digits, or more, later
  std::stable_sort(names.begin(), names.end(),
                   [](const auto& a, const auto& b) { return a.size() < b.size(); });
  // Numbers alone tell nothing: what a power cut tore is written again under the same ones.
  std::set<std::string> firsts;
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(const std::string first, FirstRecordOf(folder + "/" + name, env));
    if (!first.empty() && !firsts.insert(first).second)
      return Damaged(folder, "its log " + name + " is a copy of another one");
  }
  return absl::OkStatus();
}

absl::Status CheckTableFiles(rocksdb::DB& database, rocksdb::Env& env, uint64_t bytes_max,
                             const FileProgress& progress) {
  std::vector<rocksdb::LiveFileMetaData> files;
  database.GetLiveFilesMetaData(&files);
  std::sort(files.begin(), files.end(),
            [](const auto& a, const auto& b) { return a.size < b.size; });
  uint64_t all = 0, done = 0;
  size_t count = 0;
  for (; count < files.size() && all + files[count].size <= bytes_max; ++count) {
    all += files[count].size;
  }
  files.resize(count);
  std::vector<std::string> damaged;
  for (const rocksdb::LiveFileMetaData& file : files) {
    absl::Status checked = CheckTableFile(file, env);
    if (base::IsDiskFailure(checked)) return checked;
    if (!checked.ok()) {
      damaged.push_back(absl::StrCat(file.db_path, file.name, " (", file.column_family_name,
                                     "): ", checked.message()));
    }
    done += file.size;
    if (progress) progress(done, all);
  }
  if (damaged.empty()) return absl::OkStatus();
  const std::string head = damaged.size() == 1
                               ? "a table file is damaged: "
                               : absl::StrCat(damaged.size(), " table files are damaged: ");
  damaged.resize(std::min(damaged.size(), kNamedMax));
  return absl::DataLossError(absl::StrCat(head, absl::StrJoin(damaged, "; ")));
}

}  // namespace opic::store
