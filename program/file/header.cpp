#include "program/file/header.h"

#include <fmt/format.h>
#define XXH_STATIC_LINKING_ONLY  // a state on the stack
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <string_view>

#include "program/error.h"
#include "program/file.h"

namespace ingot {

namespace {

using namespace std::string_view_literals;

constexpr std::string_view kMagic = "\x89INGOT\r\n"sv;

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

bool is_program_file(std::span<const std::byte> bytes) { return as_text(bytes).starts_with(kMagic); }

}  // namespace ingot

namespace ingot::file {

namespace {

static_assert(std::endian::native == std::endian::little, "weights are used as they lie in the file: little-endian");

constexpr uint32_t kByteOrder = 0x01020304;

// As it lies in the file: no padding, checked below.
struct RawHeader {
  char magic[8];
  uint32_t format_version, minimum_reader, byte_order, header_bytes;
  uint64_t metadata_offset, metadata_bytes, segments_offset, segment_bytes, checksum;
};
static_assert(sizeof(RawHeader) == kHeaderBytes && offsetof(RawHeader, checksum) == kChecksumOffset);

Error wrong(std::string_view subject, std::string actual, std::string expected) {
  return Error::mismatch(Code::bad_file, "", subject, std::move(actual), std::move(expected));
}

template <class T>
void require(std::string_view subject, T actual, T expected) {
  if (actual != expected) throw wrong(subject, fmt::format("{}", actual), fmt::format("{}", expected));
}

// ----------------------------------------------------------------------------------------------------------- magic

struct Look {
  std::string_view prefix, what;
};

constexpr Look looks[] = {
    {"\x89INGOT\n"sv, "an .ingot file after a transfer in text mode: transfer it as binary"},
    {"\x89INGOT\r\r\n"sv, "an .ingot file after a transfer in text mode: transfer it as binary"},
    {"\x09INGOT"sv, "an .ingot file after a transfer in 7 bits: transfer it as binary"},
    {"\x1f\x8b"sv, "a gzip file: unpack it first"},
    {"PK\x03\x04"sv, "a zip archive, such as .npz and .pt2 files are"},
    {"GGUF"sv, "a GGUF file"},
    {"\x93NUMPY"sv, "an .npy file"},
    {"\x08"sv, "a protobuf message, such as .onnx files are"},
};

bool is_text(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](unsigned char c) { return c >= 32 || (c >= 9 && c <= 13); });
}

std::string describe(std::string_view bytes) {
  for (const Look& look : looks) {
    if (bytes.starts_with(look.prefix)) return fmt::format("that of {}", look.what);
  }
  if (bytes.size() > 8 && bytes[8] == '{' && bytes[7] == 0) return "that of a safetensors file";
  if (is_text(bytes.substr(0, kHeaderBytes))) return "text";
  return fmt::format("{:02x}", fmt::join(std::as_bytes(std::span(bytes.substr(0, kMagic.size()))), " "));
}

void check_magic(std::string_view bytes) {
  if (bytes.starts_with(kMagic)) return;
  if (bytes.empty() || (bytes.size() < kMagic.size() && kMagic.starts_with(bytes))) return;  // cut short, see below
  throw wrong("the beginning of the file", describe(bytes), "that of an .ingot file (89 49 4e 47 4f 54 0d 0a)");
}

// ---------------------------------------------------------------------------------------------------------- fields

void check_version(const RawHeader& raw) {
  if (raw.minimum_reader > kReaderVersion) {
    throw Error(Code::version, fmt::format("file needs reader version {}, this build reads up to {}: update Ingot, or "
                                           "re-export with an older version",
                                           raw.minimum_reader, kReaderVersion));
  }
  if (raw.minimum_reader == 0 || raw.minimum_reader > raw.format_version) {
    throw wrong("minimum reader version", std::to_string(raw.minimum_reader),
                fmt::format("1 to {} (the format version)", raw.format_version));
  }
}

// Every end is compared by subtraction, so that nothing wraps.
void check_extent(const RawHeader& raw, uint64_t file_bytes) {
  require<uint64_t>("FlatBuffer offset", raw.metadata_offset, kHeaderBytes);
  const uint64_t rest = file_bytes - kHeaderBytes;
  if (raw.metadata_bytes > rest) {
    throw wrong("FlatBuffer size", std::to_string(raw.metadata_bytes),
                fmt::format("at most {} (rest of the file)", rest));
  }
  if (raw.segment_bytes == 0) {
    require<uint64_t>("segments offset of a file without segments", raw.segments_offset, 0);
    return require("file size", file_bytes, kHeaderBytes + raw.metadata_bytes);
  }
  require("segments offset", raw.segments_offset, align_segment(kHeaderBytes + raw.metadata_bytes));
  const uint64_t behind = file_bytes - std::min(file_bytes, raw.segments_offset);
  require("size of the file from the segments offset on", behind, raw.segment_bytes);
}

}  // namespace

Header read_header(std::span<const std::byte> file) {
  check_magic(as_text(file));
  if (file.size() < kHeaderBytes) throw wrong("file size", std::to_string(file.size()), "at least 64 bytes");
  RawHeader raw;
  std::memcpy(&raw, file.data(), sizeof raw);
  require("byte-order mark", fmt::format("{:08x}", raw.byte_order), fmt::format("{:08x}", kByteOrder));
  check_version(raw);
  require<uint32_t>("header size", raw.header_bytes, kHeaderBytes);
  check_extent(raw, file.size());
  return {raw.format_version,  raw.minimum_reader, raw.metadata_bytes,
          raw.segments_offset, raw.segment_bytes,  raw.checksum};
}

std::array<std::byte, kHeaderBytes> header_bytes(const Header& h) {
  RawHeader raw{{},           h.format_version, h.minimum_reader,  kByteOrder,      kHeaderBytes,
                kHeaderBytes, h.metadata_bytes, h.segments_offset, h.segment_bytes, h.checksum};
  std::copy(kMagic.begin(), kMagic.end(), raw.magic);
  return std::bit_cast<std::array<std::byte, kHeaderBytes>>(raw);
}

uint64_t checksum(std::span<const std::byte, kHeaderBytes> header, std::span<const std::byte> metadata) {
  constexpr uint64_t kNone = 0;
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  XXH3_64bits_update(&state, header.data(), kChecksumOffset);
  XXH3_64bits_update(&state, &kNone, sizeof kNone);
  XXH3_64bits_update(&state, metadata.data(), metadata.size());
  return XXH3_64bits_digest(&state);
}

}  // namespace ingot::file
