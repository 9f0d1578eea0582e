#include "program/io/safetensors.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <tuple>

#include "program/error.h"
#include "program/io/safetensors_dtype.h"

namespace ingot {

namespace {

using Entry = SafetensorsIndex::Entry;
namespace json = simdjson::dom;

constexpr size_t kPrefix = 8;

Error bad_file(std::string message) { return Error(Code::bad_file, std::move(message)).in_op("safetensors"); }

Error wrong(std::string_view subject, std::string actual, std::string expected) {
  return Error::mismatch(Code::bad_file, "safetensors", subject, std::move(actual), std::move(expected));
}

// The bytes of the header's JSON.
std::span<const std::byte> header_of(std::span<const std::byte> file) {
  if (file.size() < kPrefix) throw wrong("file size", std::to_string(file.size()), "at least 8 bytes");
  uint64_t length;
  std::memcpy(&length, file.data(), kPrefix);
  if (length > kMaxSafetensorsHeader) {
    throw wrong("header length", std::to_string(length), fmt::format("at most {}", kMaxSafetensorsHeader));
  }
  const size_t rest = file.size() - kPrefix;
  if (length > rest) {
    throw wrong("header length", std::to_string(length), fmt::format("at most {} (rest of the file)", rest));
  }
  return file.subspan(kPrefix, length);
}

// ------------------------------------------------------------------------------------------------------ JSON values

template <class T>
T value_of(json::element value, std::string_view subject, std::string_view expected) {
  T result;
  if (value.get(result)) throw wrong(subject, quote(simdjson::minify(value)), std::string(expected));
  return result;
}

// At most the largest i64, so that it is a size.
int64_t natural_of(json::element value, std::string_view subject) {
  constexpr std::string_view expected = "an integer from 0 to 2^63 - 1";
  const auto number = value_of<int64_t>(value, subject, expected);
  if (number < 0) throw wrong(subject, std::to_string(number), std::string(expected));
  return number;
}

json::object parse_header(json::parser& parser, std::span<const std::byte> header) {
  json::element root;
  const auto error = parser.parse(reinterpret_cast<const char*>(header.data()), header.size()).get(root);
  if (error) throw bad_file(fmt::format("header is not valid JSON: {}", simdjson::error_message(error)));
  return value_of<json::object>(root, "header", "an object");
}

// ---------------------------------------------------------------------------------------------------------- entries

constexpr std::array<std::string_view, 3> field_names = {"dtype", "shape", "data_offsets"};

// Each field exactly once, nothing else; in the order of field_names.
std::array<json::element, 3> fields_of(json::element value, const std::string& tensor) {
  std::array<std::optional<json::element>, 3> found;
  for (const auto [key, field] : value_of<json::object>(value, "entry of tensor " + tensor, "an object")) {
    const auto at = static_cast<size_t>(std::ranges::find(field_names, key) - field_names.begin());
    if (at == found.size()) throw bad_file(fmt::format("tensor {} has an unknown field {}", tensor, quote(key)));
    if (found[at]) throw bad_file(fmt::format("tensor {} has two fields {}", tensor, quote(key)));
    found[at] = field;
  }
  for (size_t i = 0; i < found.size(); ++i) {
    if (!found[i]) throw bad_file(fmt::format("tensor {} has no field {}", tensor, quote(field_names[i])));
  }
  return {*found[0], *found[1], *found[2]};
}

DType read_dtype(json::element value, const std::string& tensor) {
  const auto text = value_of<std::string_view>(value, "dtype of tensor " + tensor, "a string");
  for (const SafetensorsDType& row : safetensors_dtypes) {
    if (row.name == text) return row.dtype;
  }
  throw Error(Code::unsupported, fmt::format("tensor {} has the unknown dtype {}", tensor, quote(text)))
      .in_op("safetensors");
}

Sizes read_sizes(json::element value, const std::string& tensor) {
  Sizes sizes;
  for (const json::element size : value_of<json::array>(value, "shape of tensor " + tensor, "an array")) {
    sizes.push_back(natural_of(size, fmt::format("size of axis {} of tensor {}", sizes.size(), tensor)));
  }
  return sizes;
}

std::pair<uint64_t, uint64_t> read_offsets(json::element value, const std::string& tensor) {
  const std::string subject = "data_offsets of tensor " + tensor;
  const auto pair = value_of<json::array>(value, subject, "an array");
  if (pair.size() != 2) throw wrong(subject, quote(simdjson::minify(value)), "two numbers");
  return {natural_of(pair.at(0).value(), subject), natural_of(pair.at(1).value(), subject)};
}

void check_extent(const Entry& e, const std::string& tensor, uint64_t data_size) {
  if (e.begin > e.end || e.end > data_size) {
    throw wrong("data_offsets of tensor " + tensor, fmt::format("{} to {}", e.begin, e.end),
                fmt::format("a range within the {} bytes of data", data_size));
  }
  const auto wanted = static_cast<uint64_t>(byte_count(e.dtype, e.sizes));
  if (element_count(e.sizes) % std::max(8 / bits(e.dtype), 1) != 0) {
    throw wrong("element count of tensor " + tensor, std::to_string(element_count(e.sizes)),
                fmt::format("a whole number of bytes of {}", to_string(e.dtype)));
  }
  if (e.end - e.begin != wanted) {
    throw wrong("byte length of tensor " + tensor, std::to_string(e.end - e.begin),
                fmt::format("{} ({}[{}])", wanted, to_string(e.dtype), fmt::join(e.sizes, ", ")));
  }
}

Entry read_entry(std::string_view name, json::element value, uint64_t data_size) try {
  const std::string tensor = quote(name);
  const auto [dtype, shape, offsets] = fields_of(value, tensor);
  const auto [begin, end] = read_offsets(offsets, tensor);
  Entry entry{std::string(name), read_dtype(dtype, tensor), read_sizes(shape, tensor), begin, end};
  check_extent(entry, tensor, data_size);
  return entry;
} catch (Error& error) {
  if (error.op().empty()) error.in_op("safetensors").at_node(quote(name));
  throw;
}

// Precondition: sorted by offset.
void check_layout(std::span<const Entry> entries, uint64_t data_size) {
  uint64_t end = 0;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].begin < end) {
      throw bad_file(fmt::format("tensor {} begins at {}, inside tensor {} which ends at {}", quote(entries[i].name),
                                 entries[i].begin, quote(entries[i - 1].name), end));
    }
    end = entries[i].end;
  }
  if (end != data_size) {
    throw wrong("size of the data section", std::to_string(data_size), fmt::format("{} (end of the last tensor)", end));
  }
}

SafetensorsMetadata read_metadata(json::element value) {
  SafetensorsMetadata metadata;
  for (const auto [key, text] : value_of<json::object>(value, "__metadata__", "an object")) {
    const std::string subject = "__metadata__ of key " + quote(key);
    if (!metadata.emplace(key, value_of<std::string_view>(text, subject, "a string")).second) {
      throw bad_file(fmt::format("two entries of __metadata__ have the key {}", quote(key)));
    }
  }
  return metadata;
}

}  // namespace

// ------------------------------------------------------------------------------------------------------------ index

SafetensorsIndex::SafetensorsIndex(const Buffer& file) {
  const auto header = header_of(file.bytes);
  data_ = {file.owner, file.bytes.subspan(kPrefix + header.size())};
  json::parser parser(kMaxSafetensorsHeader);
  bool has_metadata = false;
  for (const auto [name, value] : parse_header(parser, header)) {
    if (name != kSafetensorsMetadata) {
      entries_.push_back(read_entry(name, value, data_.bytes.size()));
    } else {
      if (has_metadata) throw bad_file("header has two entries __metadata__");
      has_metadata = true;
      metadata_ = read_metadata(value);
    }
  }
  std::ranges::sort(entries_, {}, [](const Entry& e) { return std::tie(e.begin, e.end, e.name); });
  check_layout(entries_, data_.bytes.size());
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (!by_name_.emplace(entries_[i].name, i).second) {
      throw bad_file(fmt::format("two tensors are named {}", quote(entries_[i].name)));
    }
  }
}

const Entry* SafetensorsIndex::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &entries_[found->second];
}

Tensor SafetensorsIndex::tensor(const Entry& entry) const try {
  return tensor_from_file(entry.dtype, entry.sizes,
                          {data_.owner, data_.bytes.subspan(entry.begin, entry.end - entry.begin)});
} catch (Error& error) {
  error.in_op("safetensors").at_node(quote(entry.name));
  throw;
}

Tensor SafetensorsIndex::tensor(std::string_view name) const {
  if (const Entry* entry = find(name)) return tensor(*entry);
  throw Error(Code::not_found, fmt::format("there is no tensor {} among {}", quote(name), entries_.size()))
      .in_op("safetensors");
}

std::vector<NamedTensor> read_safetensors(const Buffer& file) {
  const SafetensorsIndex index(file);
  std::vector<NamedTensor> tensors;
  for (const Entry& entry : index.entries()) tensors.push_back({entry.name, index.tensor(entry)});
  return tensors;
}

}  // namespace ingot
