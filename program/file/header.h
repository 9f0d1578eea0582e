// The fixed header of a .ingot file; file.h has the layout.
//
// Threads  pure functions.  Failure  Code::bad_file, Code::version.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace ingot::file {

inline constexpr uint32_t kFormatVersion = 2;  // the newest that this build writes
inline constexpr uint32_t kReaderVersion = 2;  // the newest that it reads
inline constexpr size_t kHeaderBytes = 64;
inline constexpr size_t kChecksumOffset = 56;
inline constexpr uint64_t kSegmentAlignment = 16384;

struct Header {
  uint32_t format_version = 1;
  uint32_t minimum_reader = 1;
  uint64_t metadata_bytes = 0;
  uint64_t segments_offset = 0, segment_bytes = 0;
  uint64_t checksum = 0;
};

// Every field checked against every other and against the size of the file; not the checksum.
Header read_header(std::span<const std::byte> file);
std::array<std::byte, kHeaderBytes> header_bytes(const Header& header);

// Of the header, whatever it holds as checksum, and the FlatBuffer.
uint64_t checksum(std::span<const std::byte, kHeaderBytes> header, std::span<const std::byte> metadata);

// The first multiple of the segment alignment from `offset` on.
constexpr uint64_t align_segment(uint64_t offset) {
  return (offset + kSegmentAlignment - 1) / kSegmentAlignment * kSegmentAlignment;
}

}  // namespace ingot::file
