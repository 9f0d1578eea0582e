// TableReader: FlatBuffers tables of a foreign file, each read checked as it is made.
//
// Nothing is trusted before it is read: every offset is verified against the buffer by flatbuffers::Verifier at the
// moment of its use, so that an error can say where (`graphs[1].nodes[17].x`), and so that a small buffer whose tables
// refer to each other over and over cannot cost more than its size allows: tables are counted, and what is read and made
// of it is paid from a budget of 64 bytes for each of its own.
//
// Ownership  readers point into the buffer and to the reader they came from: both must outlive them.
// Threads    one thread for one Metadata.
// Failure    Code::bad_file with the place; Code::limit when the budget is spent.
#pragma once

#include <flatbuffers/flatbuffers.h>

#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "gen/fields.h"
#include "program/error.h"
#include "program/verify.h"

namespace ingot::file {

// Where a thing is. A chain on the stack: the text is made only for a message.
struct Place {
  const Place* parent = nullptr;
  std::string_view field = {};
  std::optional<size_t> index = {};
};
std::string to_string(const Place& place);  // `graphs[1].nodes[17]`

// `place is actual, expected expected`
Error wrong(const Place& place, std::string actual, std::string expected);
void check_below(const Place& place, uint64_t id, uint64_t end);       // `..., expected an id below 12`
void check_count(const Place& place, uint64_t count, uint64_t limit);  // Code::limit
// Adds the place to an error of a check that does not know it.
void locate(Error& error, const Place& place);

// A FlatBuffer, what verifies it, and how many bytes may still be made of it.
class Metadata {
 public:
  // Precondition: bytes lie on a multiple of 8.
  Metadata(std::span<const std::byte> bytes, const Limits& limits);

  const Limits& limits() const { return limits_; }
  flatbuffers::Verifier& verifier() { return verifier_; }
  // The table that the buffer is about, of the schema with that file identifier.
  const flatbuffers::Table* root(const char* identifier);
  void spend(uint64_t bytes);

 private:
  std::span<const std::byte> bytes_;
  const Limits& limits_;
  flatbuffers::Verifier verifier_;
  uint64_t left_;
};

// A vector of scalars or structs. Elements are copied out: FlatBuffers does not verify their alignment.
template <class T>
class List {
 public:
  List() = default;
  List(const uint8_t* data, size_t size) : data_(data), size_(size) {}

  size_t size() const { return size_; }
  const uint8_t* data() const { return data_; }
  // Precondition: i < size().
  T operator[](size_t i) const {
    T element;
    std::memcpy(&element, data_ + i * sizeof(T), sizeof(T));
    return element;
  }

 private:
  const uint8_t* data_ = nullptr;
  size_t size_ = 0;
};

class TableReader {
 public:
  TableReader(Metadata& metadata, const flatbuffers::Table* table, const Place& place);
  TableReader(const TableReader&) = delete;
  TableReader& operator=(const TableReader&) = delete;

  const Place& place() const { return place_; }
  Place place_of(const FieldFacts& field) const { return {&place_, field.name}; }
  Place place_of(const FieldFacts& field, size_t index) const { return {&place_, field.name, index}; }
  void spend(uint64_t bytes) const { metadata_.spend(bytes); }

  // Whether the field is there. One that is required and is not throws.
  bool has(const FieldFacts& field) const;
  // A scalar or a struct.
  template <class T>
  std::optional<T> value(const FieldFacts& field) const;
  // Empty when absent.
  template <class T>
  List<T> list(const FieldFacts& field) const;
  std::string text(const FieldFacts& field) const;
  // Throws when absent, required or not.
  TableReader table(FieldFacts field) const;

  // Vectors of tables and strings. Precondition: i is below the size of the list, which is that of the field.
  using Offsets = List<flatbuffers::uoffset_t>;
  Offsets offsets(const FieldFacts& field) const { return list<flatbuffers::uoffset_t>(field); }
  TableReader table_at(const FieldFacts& field, const Offsets& offsets, size_t i) const;
  // The same, under a place of the caller's choice.
  TableReader table_at(const FieldFacts& field, const Offsets& offsets, size_t i, const Place& place) const;
  std::string text_at(const FieldFacts& field, const Offsets& offsets, size_t i) const;

 private:
  void check(bool ok, const FieldFacts& field) const;
  const uint8_t* follow(const FieldFacts& field) const;  // Precondition: has(field).
  const uint8_t* follow(const FieldFacts& field, const Offsets& offsets, size_t i) const;
  std::string copy_text(const FieldFacts& field, const uint8_t* text) const;

  Metadata& metadata_;
  const flatbuffers::Table* table_;
  Place place_;
};

template <class T>
std::optional<T> TableReader::value(const FieldFacts& field) const {
  static_assert(std::is_trivially_copyable_v<T>);
  if (!has(field)) return {};
  check(table_->VerifyField<T>(metadata_.verifier(), field.offset, alignof(T)), field);
  return List<T>(table_->GetAddressOf(field.offset), 1)[0];
}

template <class T>
List<T> TableReader::list(const FieldFacts& field) const {
  if (!has(field)) return {};
  const uint8_t* vector = follow(field);
  check(metadata_.verifier().VerifyVectorOrString(vector, sizeof(T)), field);
  const size_t size = List<flatbuffers::uoffset_t>(vector, 1)[0];
  spend(size * sizeof(T));
  return {vector + sizeof(flatbuffers::uoffset_t), size};
}

}  // namespace ingot::file
