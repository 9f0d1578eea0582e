// map_file: the bytes of a file, mapped read-only.
//
// Ownership  the Buffer's owner unmaps when the last copy of it goes; the file itself is closed at once.
// Threads    reading from any thread. Whoever truncates a mapped file in place makes reading it fatal (SIGBUS);
//            AtomicFile replaces files instead.
// Failure    Code::not_found for a missing file, Code::io with the system's text for everything else that it refuses,
//            Code::invalid_argument for folders, pipes and devices.
#pragma once

#include <cstdint>
#include <filesystem>

#include "program/tensor.h"

namespace ingot {

// Equal exactly for two names of one file.
struct FileIdentity {
  uint64_t device = 0, inode = 0;

  bool operator==(const FileIdentity&) const = default;
};

struct MappedFile {
  Buffer buffer;
  FileIdentity identity;
};

MappedFile map_file(const std::filesystem::path& path);

}  // namespace ingot
