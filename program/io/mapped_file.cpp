#include "program/io/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>

#include "program/io/file_descriptor.h"
#include "program/io/system_error.h"

namespace ingot {

namespace {

Buffer map(const std::filesystem::path& path, int fd, size_t size) {
  if (size == 0) return {};  // mmap refuses an empty range
  void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (data == MAP_FAILED) throw system_error("map", path, errno);
  std::shared_ptr<const void> owner(data, [size](void* p) { ::munmap(p, size); });
  return {std::move(owner), {static_cast<const std::byte*>(data), size}};
}

}  // namespace

MappedFile map_file(const std::filesystem::path& path) {
  // O_NONBLOCK: a pipe without a writer must be refused, not waited for.
  const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (fd.get() < 0) throw system_error("open", path, errno);
  struct stat status;
  if (::fstat(fd.get(), &status) != 0) throw system_error("examine", path, errno);
  check_regular(path, status.st_mode);
  return {map(path, fd.get(), static_cast<size_t>(status.st_size)), {status.st_dev, status.st_ino}};
}

}  // namespace ingot
