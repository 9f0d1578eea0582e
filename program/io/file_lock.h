// FileLock: one holder at a time among all threads and processes, by flock on a file that exists while it is held.
//
// Ownership  owns the lock file, and removes it. A holder that is killed leaves the file, which is empty and which the
//            next holder takes over and removes.
// Threads    one thread for each FileLock.
// Failure    Code::io and not_found where the file cannot be created. On a file system without flock nothing is held.
#pragma once

#include <filesystem>

#include "program/io/file_descriptor.h"

namespace ingot {

// flock, again after a signal. False where another holds the lock, or the file system has none.
bool lock_file(int fd, int how);
// Whether the path names the regular file that is open, itself and not by a link.
bool is_open_as(int fd, const std::filesystem::path& path);

class FileLock {
 public:
  // Waits for the holder.
  explicit FileLock(std::filesystem::path path);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  bool held() const { return held_; }

 private:
  std::filesystem::path path_;
  FileDescriptor fd_;
  bool held_ = false;
};

}  // namespace ingot
