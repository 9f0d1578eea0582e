#include "program/io/temporary_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "program/io/file_lock.h"
#include "program/io/system_error.h"

namespace ingot {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = ".ingot-", kSuffix = ".tmp";

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// `.ingot-PID-N.tmp`
bool is_temporary_name(std::string_view name) {
  if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return false;
  name = name.substr(kPrefix.size(), name.size() - kPrefix.size() - kSuffix.size());
  const size_t dash = name.find('-');
  return dash != name.npos && is_number(name.substr(0, dash)) && is_number(name.substr(dash + 1));
}

bool has_name(int fd) {
  struct stat status;
  return ::fstat(fd, &status) == 0 && status.st_nlink > 0;
}

// Holding the lock keeps every other process from removing the file, so the name cannot pass to a new writer before
// the unlink.
void remove_if_abandoned(const fs::path& path) {
  const FileDescriptor fd(::open(path.c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (fd.get() < 0 || !lock_file(fd.get(), LOCK_EX | LOCK_NB)) return;
  if (is_open_as(fd.get(), path)) ::unlink(path.c_str());
}

}  // namespace

TemporaryFile create_temporary(const fs::path& target) {
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  constexpr int kAttempts = 1000;
  for (int i = 0; i < kAttempts; ++i) {
    fs::path path = folder / fmt::format("{}{}-{}{}", kPrefix, ::getpid(), i, kSuffix);
    FileDescriptor fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (fd.get() < 0 && errno != EEXIST) throw system_error("write", target, errno);
    if (fd.get() < 0) continue;  // another thread has it, or a process with this pid in another namespace
    lock_file(fd.get(), LOCK_EX);
    // remove_abandoned in another process may have taken the lock first, and the file away.
    if (has_name(fd.get())) return {std::move(path), std::move(fd)};
  }
  throw system_error("create a temporary file for", target, EEXIST);
}

void remove_abandoned(const fs::path& folder) noexcept try {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (is_temporary_name(entry->path().filename().string())) remove_if_abandoned(entry->path());
  }
} catch (const std::bad_alloc&) {
  return;  // they stay until the next save
}

}  // namespace ingot
