#include "cli/tensor_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "program/error.h"
#include "program/io/mapped_file.h"
#include "program/io/npy.h"
#include "program/io/npz.h"
#include "program/io/safetensors.h"

namespace ingot::cli {
namespace {

std::vector<StoredTensor> in_npy(const Buffer& file) {
  return {{"", npy_type(file.bytes, file.bytes.size()), [file] { return read_npy(file); }}};
}

std::vector<StoredTensor> in_npz(const Buffer& file, uint64_t max_bytes) {
  const auto index = std::make_shared<NpzIndex>(file, NpzLimits{.max_bytes = max_bytes});
  std::vector<StoredTensor> tensors;
  for (const NpzIndex::Entry& entry : index->entries()) {
    tensors.push_back({entry.name, entry.type, [index, &entry] { return index->tensor(entry); }});
  }
  return tensors;
}

std::vector<StoredTensor> in_safetensors(const Buffer& file) {
  const auto index = std::make_shared<SafetensorsIndex>(file);
  std::vector<StoredTensor> tensors;
  for (const SafetensorsIndex::Entry& entry : index->entries()) {
    const TensorType type{entry.dtype, Shape(entry.sizes.begin(), entry.sizes.end()), {}};
    tensors.push_back({entry.name, type, [index, &entry] { return index->tensor(entry); }});
  }
  return tensors;
}

}  // namespace

std::vector<StoredTensor> open_tensors(const std::string& path, uint64_t max_bytes) {
  const std::string ending = std::filesystem::path(path).extension();
  const Buffer file = map_file(path).buffer;
  if (ending == ".npy") return in_npy(file);
  if (ending == ".npz") return in_npz(file, max_bytes);
  if (ending == ".safetensors") return in_safetensors(file);
  throw Error(Code::invalid_argument,
              fmt::format("{}: the file is no .npy, .npz or .safetensors, expected one with tensors", path));
}

Comparison compare_stored(const Tensor& actual, const StoredTensor& expected, const Tolerance& tolerance) {
  const Comparison types = compare_types(actual.type(), expected.type);
  return types.equal ? compare(actual, expected.read(), tolerance) : types;
}

}  // namespace ingot::cli
