// Temporary files of AtomicFile, `.ingot-PID-N.tmp`: how one is created, and how those of killed writers are removed.
//
// A writer holds an exclusive flock on its temporary file until it has renamed or removed it. The kernel drops the lock
// when the process dies, so a temporary file whose lock can be taken has no writer, in this pid namespace or in another.
// On a file system without flock nothing can be locked, and so nothing is removed.
//
// Threads    free functions. Failure  Code::io and not_found from creating; removing never fails.
#pragma once

#include <filesystem>

#include "program/io/file_descriptor.h"

namespace ingot {

struct TemporaryFile {
  std::filesystem::path path;
  FileDescriptor fd;  // open for writing; holds the lock
};

// In the folder of `target`, which is what errors name.
TemporaryFile create_temporary(const std::filesystem::path& target);

// Removes the temporary files in a folder that have no writer. Files of other names are left alone.
void remove_abandoned(const std::filesystem::path& folder) noexcept;

}  // namespace ingot
