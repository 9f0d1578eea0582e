#include "program/io/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "program/io/system_error.h"

namespace ingot {

bool lock_file(int fd, int how) {
  while (::flock(fd, how) != 0) {
    if (errno != EINTR) return false;
  }
  return true;
}

bool is_open_as(int fd, const std::filesystem::path& path) {
  struct stat opened, named;
  return ::fstat(fd, &opened) == 0 && ::lstat(path.c_str(), &named) == 0 && S_ISREG(opened.st_mode) &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

// The holder before may have removed the file that was opened here: then another may hold a newer one.
FileLock::FileLock(std::filesystem::path path) : path_(std::move(path)) {
  do {
    fd_ = FileDescriptor(::open(path_.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666));
    if (fd_.get() < 0) throw system_error("lock", path_, errno);
    held_ = lock_file(fd_.get(), LOCK_EX);
  } while (held_ && !is_open_as(fd_.get(), path_));
}

FileLock::~FileLock() {
  if (held_) ::unlink(path_.c_str());
}

}  // namespace ingot
