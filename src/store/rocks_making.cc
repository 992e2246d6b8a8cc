#include "store/rocks_making.h"

#include <rocksdb/db.h>

#include <filesystem>
#include <memory>
#include <vector>

#include "base/disk_failure.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "store/rocks_options.h"
#include "store/rocks_status.h"

namespace opic::store {
namespace {

namespace fs = std::filesystem;

absl::Status Failed(std::string_view what, const std::string& path, const std::error_code& error) {
  return base::DiskFailure(error.value(), absl::StrCat("cannot ", std::string(what), " ", path));
}

// What tells nothing of a store: RocksDB makes it again.
bool IsTrace(const std::string& name) { return name == "LOCK" || name.starts_with("LOG"); }

absl::Status MakeFamilies(const std::string& folder, const RocksOptions& options) {
  // On the machine's own files, also where tests put others beneath the store: what they do to
  // names would not follow the folder's new one.
  RocksOptions plain = options;
  plain.env = nullptr;
  rocksdb::DBOptions database_options = DatabaseOptions(plain);
  database_options.create_if_missing = true;
  std::vector<rocksdb::ColumnFamilyDescriptor> families = Families(plain);
  rocksdb::DB* opened = nullptr;
  RETURN_IF_ERROR(FromRocks(rocksdb::DB::Open(
      rocksdb::Options(database_options, families.back().options), folder, &opened)));
  const std::unique_ptr<rocksdb::DB> database(opened);
  families.pop_back();  // the default one, which is there
  // In one call: after each, RocksDB writes the options of all families, and reads them again.
  std::vector<rocksdb::ColumnFamilyHandle*> made;
  absl::Status status = FromRocks(database->CreateColumnFamilies(families, &made));
  for (rocksdb::ColumnFamilyHandle* family : made) {
    database->DestroyColumnFamilyHandle(family).PermitUncheckedError();
  }
  status.Update(FromRocks(database->Close()));
  return status;
}

}  // namespace

absl::StatusOr<bool> HoldsStore(const std::string& folder) {
  std::error_code error;
  if (fs::exists(folder + "/CURRENT", error)) return true;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (IsTrace(at->path().filename().string())) continue;
    return absl::DataLossError(absl::StrCat("the store ", folder,
                                            " is damaged: its file CURRENT is missing; restore the "
                                            "data folder from a backup"));
  }
  if (error && error != std::errc::no_such_file_or_directory) return Failed("read", folder, error);
  if (fs::exists(MarkPath(folder), error)) {
    return absl::DataLossError(absl::StrCat("the store ", folder, " is missing, ", MarkPath(folder),
                                            " tells of it; restore the data folder from a backup"));
  }
  return false;
}

absl::Status MakeStore(const std::string& folder, const RocksOptions& options) {
  const std::string beside = folder + ".new";
  std::error_code error;
  fs::remove_all(beside, error);  // left by a crash
  // RocksDB complains in the log of a folder that it makes itself.
  if (error || (!fs::create_directory(beside, error) && error)) {
    return Failed("make", beside, error);
  }
  RETURN_IF_ERROR(base::WithContext(MakeFamilies(beside, options), "making the store " + folder));
  RETURN_IF_ERROR(base::SyncFolder(beside));
  fs::remove_all(folder, error);  // empty, but for traces
  if (!error) fs::rename(beside, folder, error);
  if (error) return Failed("make", folder, error);
  return base::SyncFolder(fs::path(folder).parent_path().string());
}

}  // namespace opic::store
