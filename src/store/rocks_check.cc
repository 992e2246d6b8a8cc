#include "store/rocks_check.h"

#include <rocksdb/metadata.h>
#include <rocksdb/sst_file_reader.h>

#include <algorithm>
#include <set>

#include "absl/strings/str_join.h"
#include "base/disk_failure.h"
#include "base/status_macros.h"
#include "store/rocks_options.h"
#include "store/rocks_status.h"

namespace opic::store {
namespace {

constexpr size_t kNamedMax = 10;  // damaged files

absl::Status CheckTableFile(const rocksdb::LiveFileMetaData& file, rocksdb::Env& env) {
  rocksdb::Options options;
  options.env = &env;
  rocksdb::SstFileReader reader(options);
  const rocksdb::Status opened = reader.Open(file.db_path + file.name);
  return FromRocks(opened.ok() ? reader.VerifyChecksum(rocksdb::ReadOptions()) : opened);
}

}  // namespace

absl::Status CheckFamilies(const std::string& folder, const RocksOptions& options) {
  const auto damaged = [&](std::string_view what) {
    return absl::DataLossError(absl::StrCat("the store ", folder,
                                            " is damaged: ", std::string(what),
                                            "; restore the data folder from a backup"));
  };
  std::vector<std::string> listed;
  const rocksdb::Status read =
      rocksdb::DB::ListColumnFamilies(DatabaseOptions(options), folder, &listed);
  if (!read.ok()) {
    const absl::Status status = FromRocks(read);
    // A file that is not there, or whose end is.
    const bool disk = base::IsDiskFailure(status) && !read.IsPathNotFound() && !read.IsNotFound();
    return disk ? status : damaged(read.ToString());
  }
  const std::set<std::string> there(listed.begin(), listed.end());
  for (const rocksdb::ColumnFamilyDescriptor& family : Families(options)) {
    if (!there.contains(family.name)) return damaged("its table " + family.name + " is missing");
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
    const absl::Status checked = CheckTableFile(file, env);
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
