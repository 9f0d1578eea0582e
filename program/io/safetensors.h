// Safetensors: named tensors in one file, read in place and written atomically.
//
// Layout     1. u64, little-endian: N, the length of the header, at most 100,000,000
//            2. N bytes of JSON: {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [begin, end]}, ...}, and
//               "__metadata__": {"key": "text", ...}
//            3. the data section, to the end of the file; offsets count from its start
// Ownership  tensors that are read view the Buffer and share it, or own a copy where the file misaligns them.
// Threads    an index is immutable: any number of threads.
// Failure    bytes that are no such file throw Code::bad_file, an unknown tensor Code::not_found, a dtype that one side
//            does not have Code::unsupported. Files with overlapping tensors, bytes behind the last one, duplicate
//            names or unknown fields are refused; gaps are not.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "program/io/named_tensor.h"

namespace ingot {

using SafetensorsMetadata = std::map<std::string, std::string, std::less<>>;

class SafetensorsIndex {
 public:
  struct Entry {
    std::string name;
    DType dtype;
    Sizes sizes;
    uint64_t begin, end;  // within the data section
  };

  // Reads and checks the whole header, touches no tensor.
  explicit SafetensorsIndex(const Buffer& file);

  // In the order of their offsets.
  std::span<const Entry> entries() const { return entries_; }
  const SafetensorsMetadata& metadata() const { return metadata_; }

  const Entry* find(std::string_view name) const;
  // Precondition: an entry of this index.
  Tensor tensor(const Entry& entry) const;
  // Throws Code::not_found.
  Tensor tensor(std::string_view name) const;

 private:
  Buffer data_;
  std::vector<Entry> entries_;
  std::map<std::string, size_t, std::less<>> by_name_;
  SafetensorsMetadata metadata_;
};

// Every tensor, in the order of their offsets.
std::vector<NamedTensor> read_safetensors(const Buffer& file);

// The same tensors give the same bytes, in whatever order they come: widest dtype first, then by name, so that every
// tensor is aligned.
void write_safetensors(const std::filesystem::path& path, std::span<const NamedTensor> tensors,
                       const SafetensorsMetadata& metadata = {});
// Whether a file can hold such a tensor: its dtype is one of the format's, and its elements are whole bytes.
bool fits_safetensors(DType dtype, std::span<const int64_t> sizes);

}  // namespace ingot
