#include "program/file/reader.h"

#include <fmt/format.h>

#include <algorithm>

namespace ingot::file {

std::string to_string(const Place& place) {
  std::string text = place.parent ? to_string(*place.parent) : "";
  if (!text.empty()) text += '.';
  text += place.field;
  if (place.index) text += fmt::format("[{}]", *place.index);
  return text;
}

Error wrong(const Place& place, std::string actual, std::string expected) {
  return Error::mismatch(Code::bad_file, "", to_string(place), std::move(actual), std::move(expected));
}

void check_below(const Place& place, uint64_t id, uint64_t end) {
  if (id >= end) throw wrong(place, std::to_string(id), fmt::format("an id below {}", end));
}

void check_count(const Place& place, uint64_t count, uint64_t limit) {
  if (count <= limit) return;
  throw Error::mismatch(Code::limit, "", fmt::format("the number of {}", to_string(place)), std::to_string(count),
                        fmt::format("at most {}", limit));
}

void locate(Error& error, const Place& place) {
  if (error.code() != Code::bad_file) error.at_node(to_string(place));
}

// -------------------------------------------------------------------------------------------------------- metadata

namespace {

// A table takes at least 4 bytes, and 4 more where it is referred to.
flatbuffers::Verifier::Options verifier_options(size_t bytes) {
  flatbuffers::Verifier::Options options;
  options.max_tables = static_cast<flatbuffers::uoffset_t>(bytes / 8 + 1);
  return options;
}

// No program comes near this: a value of 64 axes takes 60 times what it takes in the file. The rest is for small files.
uint64_t budget(size_t bytes) { return uint64_t{64} * bytes + (1 << 20); }

size_t checked_size(size_t bytes, const Limits& limits) {
  // FlatBuffers' own limit is an assertion.
  const uint64_t most = std::min<uint64_t>(limits.metadata_bytes, FLATBUFFERS_MAX_BUFFER_SIZE - 1);
  if (bytes <= most) return bytes;
  throw Error::mismatch(Code::limit, "", "FlatBuffer size", std::to_string(bytes), fmt::format("at most {}", most));
}

}  // namespace

Metadata::Metadata(std::span<const std::byte> bytes, const Limits& limits)
    : bytes_(bytes),
      limits_(limits),
      verifier_(reinterpret_cast<const uint8_t*>(bytes.data()), checked_size(bytes.size(), limits),
                verifier_options(bytes.size())),
      left_(budget(bytes.size())) {}

const flatbuffers::Table* Metadata::root(const char* identifier) {
  constexpr size_t kPrefix = 2 * sizeof(flatbuffers::uoffset_t);
  if (bytes_.size() < kPrefix) {
    throw Error::mismatch(Code::bad_file, "", "FlatBuffer size", std::to_string(bytes_.size()), "at least 8");
  }
  if (!flatbuffers::BufferHasIdentifier(bytes_.data(), identifier)) {
    const auto found = bytes_.subspan(kPrefix / 2, flatbuffers::kFileIdentifierLength);
    throw Error::mismatch(
        Code::bad_file, "", "FlatBuffer identifier",
        fmt::format("{:?}", std::string_view(reinterpret_cast<const char*>(found.data()), found.size())),
        fmt::format("{:?}", identifier));
  }
  const auto offset = verifier_.VerifyOffset(0);
  if (offset == 0) throw Error(Code::bad_file, "the root table lies outside of the FlatBuffer");
  return reinterpret_cast<const flatbuffers::Table*>(bytes_.data() + offset);
}

void Metadata::spend(uint64_t bytes) {
  if (bytes > left_) {
    throw Error(Code::limit, fmt::format("the FlatBuffer of {} bytes unfolds to more than {}", bytes_.size(),
                                         budget(bytes_.size())));
  }
  left_ -= bytes;
}

// ---------------------------------------------------------------------------------------------------------- reader

TableReader::TableReader(Metadata& metadata, const flatbuffers::Table* table, const Place& place)
    : metadata_(metadata), table_(table), place_(place) {
  const bool ok = table_->VerifyTableStart(metadata_.verifier());
  metadata_.verifier().EndTable();  // counts depth, which our own calls bound
  if (ok) return;
  const std::string where = to_string(place_);
  throw Error(Code::bad_file, fmt::format("{} is damaged: it is no valid table", where.empty() ? "the root" : where));
}

bool TableReader::has(const FieldFacts& field) const {
  if (table_->CheckField(field.offset)) return true;
  if (!field.required) return false;
  throw Error(Code::bad_file, fmt::format("{}: missing required field {}", to_string(place_), field.name));
}

void TableReader::check(bool ok, const FieldFacts& field) const {
  if (ok) return;
  throw Error(Code::bad_file,
              fmt::format("{} is damaged: it lies outside of the FlatBuffer", to_string(place_of(field))));
}

const uint8_t* TableReader::follow(const FieldFacts& field) const {
  check(table_->VerifyOffset(metadata_.verifier(), field.offset), field);
  return table_->GetPointer<const uint8_t*>(field.offset);
}

const uint8_t* TableReader::follow(const FieldFacts& field, const Offsets& offsets, size_t i) const {
  const uint8_t* element = offsets.data() + i * sizeof(flatbuffers::uoffset_t);
  const auto offset = metadata_.verifier().VerifyOffset(element, 0);
  check(offset != 0, field);
  return element + offset;
}

std::string TableReader::copy_text(const FieldFacts& field, const uint8_t* text) const {
  const auto* string = reinterpret_cast<const flatbuffers::String*>(text);
  check(metadata_.verifier().VerifyString(string), field);
  spend(string->size());
  return string->str();
}

std::string TableReader::text(const FieldFacts& field) const {
  return has(field) ? copy_text(field, follow(field)) : std::string();
}

std::string TableReader::text_at(const FieldFacts& field, const Offsets& offsets, size_t i) const {
  return copy_text(field, follow(field, offsets, i));
}

TableReader TableReader::table(FieldFacts field) const {
  field.required = true;
  has(field);
  return {metadata_, reinterpret_cast<const flatbuffers::Table*>(follow(field)), place_of(field)};
}

TableReader TableReader::table_at(const FieldFacts& field, const Offsets& offsets, size_t i) const {
  return table_at(field, offsets, i, place_of(field, i));
}

TableReader TableReader::table_at(const FieldFacts& field, const Offsets& offsets, size_t i, const Place& place) const {
  return {metadata_, reinterpret_cast<const flatbuffers::Table*>(follow(field, offsets, i)), place};
}

}  // namespace ingot::file
