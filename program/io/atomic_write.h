// AtomicFile: a file that appears whole or not at all.
//
// The bytes go to a temporary file in the folder of the target; commit() makes them durable, unless it is told that nobody
// waits for the disk, and renames it over the target. A writer that is killed leaves the old file, or none, and its
// temporary file, which the next AtomicFile in that folder removes (program/io/temporary_file.h).
//
// Ownership  owns the temporary: without commit() the destructor removes it. A target that is a symbolic link stays one;
//            the file that it names is replaced (where there is none, the link itself).
// Threads    one thread at a time; two writers of one target do not disturb each other, the last commit() wins.
// Failure    Code::io with the system's text, Code::not_found where the folder is missing, Code::invalid_argument for a
//            target that exists and is no regular file (a folder, /dev/stdout). A failed commit() leaves the old file,
//            unless only the last step failed, `cannot sync FOLDER`: the new file is there, and may not outlast a
//            loss of power.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

#include "program/io/file_descriptor.h"

namespace ingot {

class AtomicFile {
 public:
  // Without `durable` a loss of power soon after commit() may leave a damaged file.
  explicit AtomicFile(const std::filesystem::path& target, bool durable = true);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void append(std::span<const std::byte> bytes);
  void append(std::string_view text);
  // Bytes appended so far.
  uint64_t size() const { return size_; }

  // Once, as the last call.
  void commit();

 private:
  std::filesystem::path target_, temporary_;
  FileDescriptor fd_;
  uint64_t size_ = 0;
  bool durable_;
  bool committed_ = false;
};

}  // namespace ingot
