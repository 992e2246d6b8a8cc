#include "tests/support/forgetful_files.h"

#include <filesystem>

#include "base/check.h"

namespace opic {
namespace {

namespace fs = std::filesystem;

// One spelling of a path: RocksDB writes some with two slashes.
std::string Plain(const std::string& path) {
  const std::string plain = fs::path(path).lexically_normal().string();
  return plain.ends_with('/') ? plain.substr(0, plain.size() - 1) : plain;
}

}  // namespace

// A file being written. It knows its length by itself: its name may change.
class ForgetfulFiles::File final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  File(std::unique_ptr<rocksdb::FSWritableFile> file, ForgetfulFiles& files,
       std::shared_ptr<Length> length)
      : FSWritableFileOwnerWrapper(std::move(file)), files_(files), length_(std::move(length)) {}

  Result Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                rocksdb::IODebugContext* debug) override {
    return files_.Make([&](bool counts) {
      if (counts) length_->written += data.size();
      return target()->Append(data, options, debug);
    });
  }
  Result Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                const rocksdb::DataVerificationInfo&, rocksdb::IODebugContext* debug) override {
    return Append(data, options, debug);
  }
  Result Truncate(uint64_t size, const rocksdb::IOOptions& options,
                  rocksdb::IODebugContext* debug) override {
    return files_.Make([&](bool counts) {
      if (!counts) return Result::OK();  // it could not be taken back
      length_->written = size;
      length_->synced = std::min(length_->synced, size);
      return target()->Truncate(size, options, debug);
    });
  }
  // The disk itself is not asked: its power does not fail.
  Result Sync(const rocksdb::IOOptions&, rocksdb::IODebugContext*) override {
    return files_.Make([&](bool counts) {
      if (counts) length_->synced = length_->written;
      return Result::OK();
    });
  }
  Result Fsync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) override {
    return Sync(options, debug);
  }

 private:
  ForgetfulFiles& files_;
  const std::shared_ptr<Length> length_;
};

class ForgetfulFiles::Folder final : public rocksdb::FSDirectoryWrapper {
 public:
  Folder(std::unique_ptr<rocksdb::FSDirectory> folder, ForgetfulFiles& files, std::string path)
      : FSDirectoryWrapper(std::move(folder)), files_(files), path_(std::move(path)) {}

  Result Fsync(const rocksdb::IOOptions&, rocksdb::IODebugContext*) override {
    return files_.Make([&](bool counts) ABSL_NO_THREAD_SAFETY_ANALYSIS {
      if (counts) files_.SyncNames(path_);
      return Result::OK();
    });
  }
  Result FsyncWithDirOptions(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug,
                             const rocksdb::DirFsyncOptions&) override {
    return Fsync(options, debug);
  }

 private:
  ForgetfulFiles& files_;
  const std::string path_;
};

ForgetfulFiles::ForgetfulFiles(const std::string& attic)
    : FileSystemWrapper(rocksdb::FileSystem::Default()), attic_(attic) {
  fs::remove_all(attic_);
  fs::create_directories(attic_);
}

// --- The machine.

template <typename Change>
rocksdb::IOStatus ForgetfulFiles::Make(const Change& change) {
  absl::MutexLock lock(&mu_);
  const bool stops = !stopped_ && stop_in_ > 0 && --stop_in_ == 0;
  const bool counts = !stopped_ && !(stops && stop_ == Stop::kBefore);
  stopped_ = stopped_ || stops;
  return change(counts);
}

void ForgetfulFiles::StopAt(uint64_t change, Stop stop) {
  absl::MutexLock lock(&mu_);
  stop_in_ = change;
  stop_ = stop;
}

void ForgetfulFiles::StopNow() {
  absl::MutexLock lock(&mu_);
  stopped_ = true;
}

bool ForgetfulFiles::stopped() const {
  absl::MutexLock lock(&mu_);
  return stopped_;
}

void ForgetfulFiles::TakeBackWhatFollowedTheStop() {
  for (auto& [folder, names] : names_) TakeBackTo(names.before_stop, names);
  for (const auto& [path, length] : lengths_) fs::resize_file(path, length->written);
  stopped_ = false;
  stop_in_ = 0;
}

void ForgetfulFiles::Restart() {
  absl::MutexLock lock(&mu_);
  TakeBackWhatFollowedTheStop();
}

void ForgetfulFiles::Forget(base::Rng& rng) {
  absl::MutexLock lock(&mu_);
  TakeBackWhatFollowedTheStop();
  for (auto& [folder, names] : names_) {
    const size_t kept = rng.Below(names.unsynced.size() + 1);
    forgotten_names_ += names.unsynced.size() - kept;
    TakeBackTo(kept, names);
    SyncNames(folder);
  }
  for (const auto& [path, length] : lengths_) {
    const uint64_t unsynced = length->written - length->synced;
    const uint64_t draw = rng.Below(3);  // nothing, all, or a part
    const uint64_t kept = draw < 2 ? draw * unsynced : rng.Below(unsynced + 1);
    forgotten_bytes_ += unsynced - kept;
    fs::resize_file(path, length->synced + kept);
  }
  names_.clear();
  lengths_.clear();
}

// --- Names.

void ForgetfulFiles::Move(const std::string& from, const std::string& to) {
  fs::rename(from, to);
  lengths_.erase(to);
  auto length = lengths_.extract(from);
  if (length.empty()) return;
  length.key() = to;
  lengths_.insert(std::move(length));
}

std::string ForgetfulFiles::ToAttic(const std::string& path) {
  if (!fs::exists(path)) return {};
  const std::string place = attic_ + "/" + std::to_string(++in_attic_);
  Move(path, place);
  return place;
}

void ForgetfulFiles::Remember(NameChange change, bool counts) {
  Names& names = names_[fs::path(change.path).parent_path().string()];
  names.unsynced.push_back(std::move(change));
  if (counts) names.before_stop = names.unsynced.size();
}

void ForgetfulFiles::TakeBack(const NameChange& change) {
  if (change.kind == NameChange::kMade) {
    fs::remove(change.path);
    lengths_.erase(change.path);
  }
  if (change.kind == NameChange::kRenamed) Move(change.path, change.before);
  if (!change.attic.empty()) Move(change.attic, change.path);
}

void ForgetfulFiles::TakeBackTo(size_t kept, Names& names) {
  for (; names.unsynced.size() > kept; names.unsynced.pop_back()) TakeBack(names.unsynced.back());
}

void ForgetfulFiles::SyncNames(const std::string& folder) {
  for (const NameChange& change : names_[folder].unsynced) {
    if (change.attic.empty()) continue;
    fs::remove(change.attic);
    lengths_.erase(change.attic);
  }
  names_[folder] = {};
}

rocksdb::IOStatus ForgetfulFiles::DeleteFile(const std::string& path, const rocksdb::IOOptions&,
                                             rocksdb::IODebugContext*) {
  return Make([&](bool counts) ABSL_NO_THREAD_SAFETY_ANALYSIS {
    std::string attic = ToAttic(Plain(path));
    if (attic.empty()) return Result::PathNotFound(path);
    Remember({NameChange::kRemoved, Plain(path), "", std::move(attic)}, counts);
    return Result::OK();
  });
}

rocksdb::IOStatus ForgetfulFiles::RenameFile(const std::string& from, const std::string& to,
                                             const rocksdb::IOOptions&, rocksdb::IODebugContext*) {
  OPIC_CHECK(fs::path(Plain(from)).parent_path() == fs::path(Plain(to)).parent_path());
  return Make([&](bool counts) ABSL_NO_THREAD_SAFETY_ANALYSIS {
    if (!fs::exists(from)) return Result::PathNotFound(from);
    std::string attic = ToAttic(Plain(to));
    Move(Plain(from), Plain(to));
    Remember({NameChange::kRenamed, Plain(to), Plain(from), std::move(attic)}, counts);
    return Result::OK();
  });
}

// --- Files.

rocksdb::IOStatus ForgetfulFiles::NewWritableFile(const std::string& path,
                                                  const rocksdb::FileOptions& options,
                                                  std::unique_ptr<rocksdb::FSWritableFile>* file,
                                                  rocksdb::IODebugContext* debug) {
  return OpenForAppending(Plain(path), /*anew=*/true, options, file, debug);
}

rocksdb::IOStatus ForgetfulFiles::ReopenWritableFile(const std::string& path,
                                                     const rocksdb::FileOptions& options,
                                                     std::unique_ptr<rocksdb::FSWritableFile>* file,
                                                     rocksdb::IODebugContext* debug) {
  return OpenForAppending(Plain(path), /*anew=*/!fs::exists(path), options, file, debug);
}

rocksdb::IOStatus ForgetfulFiles::OpenForAppending(const std::string& path, bool anew,
                                                   const rocksdb::FileOptions& options,
                                                   std::unique_ptr<rocksdb::FSWritableFile>* file,
                                                   rocksdb::IODebugContext* debug) {
  if (options.use_direct_writes) return Result::NotSupported("direct writes");
  return Make([&](bool counts) ABSL_NO_THREAD_SAFETY_ANALYSIS {
    if (anew) Remember({NameChange::kMade, path, "", ToAttic(path)}, counts);
    std::unique_ptr<rocksdb::FSWritableFile> real;
    Result opened = target()->ReopenWritableFile(path, options, &real, debug);
    if (!opened.ok()) return opened;
    std::shared_ptr<Length>& length = lengths_[path];
    if (length == nullptr) {
      const uint64_t bytes = fs::file_size(path);
      length = std::make_shared<Length>(Length{bytes, bytes});
    }
    *file = std::make_unique<File>(std::move(real), *this, length);
    return Result::OK();
  });
}

rocksdb::IOStatus ForgetfulFiles::NewDirectory(const std::string& path,
                                               const rocksdb::IOOptions& options,
                                               std::unique_ptr<rocksdb::FSDirectory>* folder,
                                               rocksdb::IODebugContext* debug) {
  std::unique_ptr<rocksdb::FSDirectory> real;
  Result opened = target()->NewDirectory(path, options, &real, debug);
  if (opened.ok()) *folder = std::make_unique<Folder>(std::move(real), *this, Plain(path));
  return opened;
}

}  // namespace opic
