#include "program/io/atomic_write.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "program/io/system_error.h"
#include "program/io/temporary_file.h"

namespace ingot {

namespace {

namespace fs = std::filesystem;

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

// The file that a rename must replace: behind every symbolic link.
fs::path resolve_target(const fs::path& path) {
  struct stat status;
  if (::stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return path;
    throw system_error("write", path, errno);
  }
  check_regular(path, status.st_mode);
  std::error_code error;
  fs::path target = fs::canonical(path, error);
  if (error) throw system_error("write", path, error.value());
  return target;
}

FileDescriptor open_folder(const fs::path& folder) {
  FileDescriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.get() < 0) throw system_error("open", folder, errno);
  return fd;
}

}  // namespace

AtomicFile::AtomicFile(const fs::path& target, bool durable) : target_(resolve_target(target)), durable_(durable) {
  remove_abandoned(folder_of(target_));
  auto [path, fd] = create_temporary(target_);
  temporary_ = std::move(path);
  fd_ = std::move(fd);
}

AtomicFile::~AtomicFile() {
  if (!committed_) ::unlink(temporary_.c_str());
}

// The disk begins while the next bytes are made, so that the sync at the end waits for little. Only a hint.
static void start_writing([[maybe_unused]] int fd, [[maybe_unused]] uint64_t from, [[maybe_unused]] ssize_t count) {
#ifdef SYNC_FILE_RANGE_WRITE
  ::sync_file_range(fd, static_cast<off_t>(from), count, SYNC_FILE_RANGE_WRITE);
#endif
}

void AtomicFile::append(std::span<const std::byte> bytes) {
  constexpr size_t kMost = size_t{16} << 20, kWorthStarting = size_t{1} << 20;
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd_.get(), bytes.data(), std::min(bytes.size(), kMost));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw system_error("write", target_, errno);
    if (durable_ && static_cast<size_t>(written) >= kWorthStarting) start_writing(fd_.get(), size_, written);
    bytes = bytes.subspan(static_cast<size_t>(written));
    size_ += static_cast<uint64_t>(written);
  }
}

void AtomicFile::append(std::string_view text) { append(std::as_bytes(std::span(text))); }

void AtomicFile::commit() {
  if (durable_ && ::fsync(fd_.get()) != 0) throw system_error("write", target_, errno);
  // The copy holds the lock on the temporary file until it has its new name: close() must be asked for errors before.
  const FileDescriptor lock(::fcntl(fd_.get(), F_DUPFD_CLOEXEC, 0));
  if (lock.get() < 0 || fd_.close() != 0) throw system_error("write", target_, errno);
  const FileDescriptor folder = open_folder(folder_of(target_));
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) throw system_error("write", target_, errno);
  committed_ = true;
  // Makes the new name itself durable.
  if (durable_ && ::fsync(folder.get()) != 0) throw system_error("sync", folder_of(target_), errno);
}

}  // namespace ingot
