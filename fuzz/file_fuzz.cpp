// .ingot files: whatever the bytes are, an Error or a program that survives being written and read, and that runs within
// small limits.
//
// Bytes that begin as a file does are one, whose checksum is repaired; others are taken for the FlatBuffer of a file with
// segments of zeros and ones. So mutations reach the decoder.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <vector>

#include "program/file.h"
#include "program/file/header.h"
#include "tests/file/run_within_limits.h"

using namespace ingot;

namespace {

using Bytes = std::vector<std::byte>;

void check(bool promise, const char* what) {
  if (promise) return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  std::abort();
}

// Left as it is where there is nothing to sum up.
Bytes with_checksum(Bytes file) try {
  const uint64_t metadata = file::read_header(file).metadata_bytes;
  const auto header = std::span<const std::byte>(file).first<file::kHeaderBytes>();
  const uint64_t sum = file::checksum(header, std::span(file).subspan(file::kHeaderBytes, metadata));
  std::ranges::copy(std::as_bytes(std::span(&sum, 1)), file.begin() + file::kChecksumOffset);
  return file;
} catch (const Error&) {
  return file;
}

Bytes zeros_and_ones(size_t size) {
  Bytes bytes(size);
  for (size_t i = 0; i < size; i += 7) bytes[i] = std::byte{1};
  return bytes;
}

Bytes file_around(std::span<const std::byte> metadata) {
  static const Bytes segments = zeros_and_ones(4 * file::kSegmentAlignment);
  file::Header header;
  header.metadata_bytes = metadata.size();
  header.segments_offset = file::align_segment(file::kHeaderBytes + metadata.size());
  header.segment_bytes = segments.size();
  Bytes file(header.segments_offset);
  std::ranges::copy(file::header_bytes(header), file.begin());
  std::ranges::copy(metadata, file.begin() + file::kHeaderBytes);
  file.insert(file.end(), segments.begin(), segments.end());
  return with_checksum(std::move(file));
}

std::optional<Program> read(const Bytes& file) try {
  return read_program(Buffer{nullptr, file}, {}, {.limits = test::small_limits()});
} catch (const Error&) {
  return {};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const Bytes file = is_program_file(bytes) ? with_checksum(Bytes(bytes.begin(), bytes.end())) : file_around(bytes);
  const auto program = read(file);
  if (!program) return 0;
  const Bytes written = write_program(*program);
  const auto again = read(written);
  check(again.has_value(), "what was read and written can be read again");
  check(write_program(*again) == written, "the same program gives the same bytes");
  test::run_within_limits(*program);
  return 0;
}
