#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <utility>

#include "program/error.h"
#include "program/file.h"
#include "program/file/decode.h"
#include "program/file/header.h"
#include "program/io/mapped_file.h"
#include "program/io/named_tensor.h"

namespace ingot {

namespace {

using file::Header;
using file::kHeaderBytes;

// What every tensor, and so every weight in the buffer, may expect.
constexpr uintptr_t kAlignment = 64;

Buffer aligned(const Buffer& buffer) {
  const bool fits = reinterpret_cast<uintptr_t>(buffer.bytes.data()) % kAlignment == 0;
  return fits ? buffer : Buffer::copy_of(buffer.bytes);
}

void check_sum(std::span<const std::byte> bytes, const Header& header) {
  const uint64_t actual =
      file::checksum(bytes.first<kHeaderBytes>(), bytes.subspan(kHeaderBytes, header.metadata_bytes));
  if (actual == header.checksum) return;
  throw Error::mismatch(Code::bad_file, "", "checksum", fmt::format("{:016x}", actual),
                        fmt::format("{:016x}", header.checksum));
}

Program read(const Buffer& buffer, file::ExternalFiles files, const LoadOptions& options) {
  const Header header = file::read_header(buffer.bytes);
  check_sum(buffer.bytes, header);
  file::WeightReader weights({buffer.owner, buffer.bytes.subspan(header.segments_offset, header.segment_bytes)},
                             std::move(files));
  Program program = file::decode(buffer.bytes.subspan(kHeaderBytes, header.metadata_bytes), options.limits, weights);
  if (options.verify) verify(program, options.limits);
  return program;
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : ".";
}

}  // namespace

// A save that replaces the program also removes the weights file of the one that was opened here: then the new one is
// loaded.
Program load_program(const std::filesystem::path& path, const LoadOptions& options) try {
  for (MappedFile mapped = map_file(path);;) {
    try {
      return read(mapped.buffer, file::ExternalFiles(folder_of(path), mapped.identity), options);
    } catch (const Error& error) {
      if (error.code() != Code::not_found) throw;
      MappedFile now = map_file(path);
      if (now.identity == mapped.identity) throw;
      mapped = std::move(now);
    }
  }
} catch (Error& error) {
  error.at_place(path.string());
  throw;
}

Program read_program(const Buffer& bytes, const std::filesystem::path& folder, const LoadOptions& options) {
  return read(aligned(bytes), file::ExternalFiles(folder), options);
}

void check_hashes(const Program& program) {
  for (size_t i = 0; i < program.weights.size(); ++i) {
    const Weight& weight = program.weights[i];
    if (!weight.tensor) continue;
    const ContentHash actual = content_hash(*weight.tensor);
    if (actual == weight.hash) continue;
    throw Error::mismatch(Code::bad_file, "", fmt::format("hash of weights[{}] {}", i, quote(weight.name)),
                          to_string(actual), to_string(weight.hash));
  }
}

FileFacts file_facts(std::span<const std::byte> bytes) {
  const Header header = file::read_header(bytes);
  return {header.format_version, header.minimum_reader, bytes.size(),
          header.metadata_bytes, header.segment_bytes,  header.checksum};
}

FileFacts file_facts(const std::filesystem::path& path) try {
  return file_facts(map_file(path).buffer.bytes);
} catch (Error& error) {
  error.at_place(path.string());
  throw;
}

}  // namespace ingot
