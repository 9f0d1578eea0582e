#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <tuple>

#include "program/error.h"
#include "program/io/atomic_write.h"
#include "program/io/safetensors.h"
#include "program/io/safetensors_dtype.h"

namespace ingot {

namespace {

// A tensor and its row of safetensors_dtypes.
struct Item {
  const NamedTensor* source;
  const SafetensorsDType* dtype;
};

const SafetensorsDType* row_of(DType dtype) {
  return std::ranges::find(safetensors_dtypes, dtype, &SafetensorsDType::dtype);
}

bool is_whole_bytes(DType dtype, std::span<const int64_t> sizes) {
  return element_count(sizes) % std::max(8 / bits(dtype), 1) == 0;
}

const SafetensorsDType* file_dtype(const NamedTensor& t) {
  const auto row = row_of(t.tensor.dtype());
  if (row != std::end(safetensors_dtypes)) return row;
  throw Error(Code::unsupported, fmt::format("tensor {} is {}, which has no safetensors dtype", quote(t.name),
                                             to_string(t.tensor.dtype())))
      .in_op("safetensors");
}

void check_writable(const NamedTensor& t) {
  if (t.name == kSafetensorsMetadata) {
    throw Error(Code::invalid_argument, "a tensor cannot be named \"__metadata__\"").in_op("safetensors");
  }
  if (!is_whole_bytes(t.tensor.dtype(), t.tensor.sizes())) {
    throw Error::mismatch(Code::unsupported, "safetensors", "element count of tensor " + quote(t.name),
                          std::to_string(t.tensor.elements()),
                          fmt::format("a whole number of bytes of {}", to_string(t.tensor.dtype())));
  }
}

std::vector<Item> sorted(std::span<const NamedTensor> tensors) {
  std::vector<Item> items;
  for (const NamedTensor& t : tensors) {
    items.push_back({&t, file_dtype(t)});
    check_writable(t);
  }
  std::ranges::sort(items, {}, [](const Item& item) { return std::tie(item.dtype, item.source->name); });
  return items;
}

std::string json_text(const std::string& text) try {
  return nlohmann::json(text).dump();
} catch (const nlohmann::json::exception&) {
  throw Error(Code::invalid_argument, fmt::format("tensor name {} is not valid UTF-8", quote(text)))
      .in_op("safetensors");
}

std::string metadata_text(const SafetensorsMetadata& metadata) {
  std::string text;
  for (const auto& [key, value] : metadata) {
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", json_text(key), json_text(value));
  }
  return fmt::format(R"("{}":{{{}}})", kSafetensorsMetadata, text);
}

// Padded with spaces so that the data section starts on 8 bytes.
std::string header_of(std::span<const Item> items, const SafetensorsMetadata& metadata) {
  std::string header = "{";
  if (!metadata.empty()) header += metadata_text(metadata);
  size_t offset = 0;
  for (const auto& [source, dtype] : items) {
    const size_t end = offset + source->tensor.bytes().size();
    fmt::format_to(std::back_inserter(header), R"({}{}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})",
                   header.size() > 1 ? "," : "", json_text(source->name), dtype->name,
                   fmt::join(source->tensor.sizes(), ","), offset, end);
    offset = end;
  }
  header += "}";
  header.append((8 - header.size() % 8) % 8, ' ');
  if (header.size() <= kMaxSafetensorsHeader) return header;
  throw Error::mismatch(Code::limit, "safetensors", "header length", std::to_string(header.size()),
                        fmt::format("at most {}", kMaxSafetensorsHeader));
}

}  // namespace

bool fits_safetensors(DType dtype, std::span<const int64_t> sizes) {
  return row_of(dtype) != std::end(safetensors_dtypes) && is_whole_bytes(dtype, sizes);
}

void write_safetensors(const std::filesystem::path& path, std::span<const NamedTensor> tensors,
                       const SafetensorsMetadata& metadata) {
  check_names_differ("safetensors", tensors);
  const auto items = sorted(tensors);
  const std::string header = header_of(items, metadata);
  const uint64_t length = header.size();
  AtomicFile file(path);
  file.append(std::as_bytes(std::span(&length, 1)));
  file.append(header);
  for (const Item& item : items) file.append(item.source->tensor.bytes());
  file.commit();
}

}  // namespace ingot
