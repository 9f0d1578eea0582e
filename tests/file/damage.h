// A .ingot file to be damaged in one place and read again, with the checksum repaired so that the damage is reached.
#pragma once

#include <flatbuffers/flatbuffers.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "gen/ingot_generated.h"
#include "program/file.h"
#include "program/file/header.h"
#include "tests/program/io_support.h"

namespace ingot::test {

class Damage {
 public:
  explicit Damage(const Program& program) : bytes_(write_program(program)) {}
  // A file of this FlatBuffer and nothing else.
  explicit Damage(const flatbuffers::FlatBufferBuilder& metadata) : bytes_(file::kHeaderBytes) {
    const auto header = file::header_bytes({.metadata_bytes = metadata.GetSize()});
    std::ranges::copy(header, bytes_.begin());
    const auto tail = std::as_bytes(std::span(metadata.GetBufferPointer(), metadata.GetSize()));
    bytes_.insert(bytes_.end(), tail.begin(), tail.end());
  }

  std::vector<std::byte>& bytes() { return bytes_; }
  template <class T>
  T get(size_t offset) const {
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }
  template <class T>
  Damage& put(size_t offset, T value) {
    std::memcpy(bytes_.data() + offset, &value, sizeof value);
    return *this;
  }

  // ---- the FlatBuffer
  const fbs::Program& root() const { return *fbs::GetProgram(bytes_.data() + file::kHeaderBytes); }
  const fbs::Graph& last_graph() const { return *root().graphs()->Get(root().graphs()->size() - 1); }
  // Overwrites a struct, a scalar or an element within the FlatBuffer, `offset` bytes behind its address.
  template <class T>
  Damage& overwrite(const void* address, T value, size_t offset = 0) {
    return put(static_cast<size_t>(static_cast<const std::byte*>(address) - bytes_.data()) + offset, value);
  }
  template <class Table, class T>
  Damage& overwrite_field(const Table* table, uint16_t field, T value) {
    return overwrite(reinterpret_cast<const flatbuffers::Table*>(table)->GetAddressOf(field), value);
  }
  // Makes the field absent: the table gets a vtable of its own, behind the FlatBuffer: in the padding before the
  // segments, or at the end of a file without any.
  template <class Table>
  Damage& erase_field(const Table* table, uint16_t field) {
    const auto* vtable = reinterpret_cast<const flatbuffers::Table*>(table)->GetVTable();
    const auto size = flatbuffers::ReadScalar<uint16_t>(vtable);
    const auto place_of = [&](const void* p) { return static_cast<const std::byte*>(p) - bytes_.data(); };
    const std::ptrdiff_t at = place_of(table), from = place_of(vtable);
    const size_t end = file::kHeaderBytes + get<uint64_t>(32), segments = get<uint64_t>(40);
    if (segments == 0) bytes_.resize(end + size);
    EXPECT_LE(end + size, segments == 0 ? bytes_.size() : segments) << "no room for a vtable";
    std::copy_n(bytes_.begin() + from, size, bytes_.begin() + static_cast<std::ptrdiff_t>(end));
    put(end + field, uint16_t{0}).put(32, end - file::kHeaderBytes + size);
    return put(static_cast<size_t>(at), static_cast<int32_t>(at - static_cast<std::ptrdiff_t>(end)));
  }

  // ---- reading
  Damage& repair() {
    const auto header = std::span<const std::byte>(bytes_).first<file::kHeaderBytes>();
    const uint64_t size = std::min<uint64_t>(get<uint64_t>(32), bytes_.size() - file::kHeaderBytes);
    return put(file::kChecksumOffset, file::checksum(header, std::span(bytes_).subspan(file::kHeaderBytes, size)));
  }
  Program read(const LoadOptions& options = {}) const { return read_program(Buffer::copy_of(bytes_), {}, options); }
  // The sentence with which the repaired file is refused.
  std::string refusal(Code code = Code::bad_file, const Limits& limits = {}) {
    repair();
    return message_of([&] { read({.limits = limits}); }, code);
  }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace ingot::test
