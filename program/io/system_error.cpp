#include "program/io/system_error.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>

namespace ingot {

namespace {

std::string kind_of(unsigned mode) {
  switch (mode & S_IFMT) {
    case S_IFDIR: return "a folder";
    case S_IFCHR: return "a character device";
    case S_IFBLK: return "a block device";
    case S_IFIFO: return "a pipe";
    case S_IFSOCK: return "a socket";
    default: return "no regular file";
  }
}

}  // namespace

Error system_error(std::string_view action, const std::filesystem::path& path, int error_number) {
  return Error(error_number == ENOENT ? Code::not_found : Code::io,
               fmt::format("cannot {} {}: {}", action, path.string(), std::generic_category().message(error_number)));
}

void check_regular(const std::filesystem::path& path, unsigned mode) {
  if (S_ISREG(mode)) return;
  throw Error::mismatch(Code::invalid_argument, "", path.string(), kind_of(mode), "a regular file");
}

}  // namespace ingot
