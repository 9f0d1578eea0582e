#include "program/open.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "program/file/external.h"
#include "program/io/mapped_file.h"
#include "program/text.h"

namespace ingot {
namespace {

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : ".";
}

// Text holds no NUL and does not begin with the first byte of the magic, so that a damaged file is told from text.
bool is_binary(std::span<const std::byte> bytes) {
  const auto start = bytes.first(std::min<size_t>(bytes.size(), 64));
  return !start.empty() && (start[0] == std::byte{0x89} || std::ranges::find(start, std::byte{0}) != start.end());
}

// The weights of the files that a text names with `weights_from`, by content. Each file is loaded when it is first
// asked for; its tensors keep the mapping alive.
class NamedWeights {
 public:
  NamedWeights(const file::ExternalFiles& files, const LoadOptions& options) : files_(files), options_(options) {}

  std::optional<Tensor> find(const ContentHash& hash, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      const auto& weights = of(name);
      if (const auto found = weights.find(hash); found != weights.end()) return found->second;
    }
    return std::nullopt;
  }

 private:
  using ByHash = std::map<ContentHash, Tensor>;

  const ByHash& of(const std::string& name) {
    const auto [entry, is_new] = by_file_.try_emplace(name);
    if (is_new) {
      for (Weight& weight : load_program(files_.path(name), options_).weights) {
        if (weight.tensor) entry->second.emplace(weight.hash, *std::move(weight.tensor));
      }
    }
    return entry->second;
  }

  const file::ExternalFiles& files_;
  LoadOptions options_;
  std::map<std::string, ByHash> by_file_;
};

Program parse_beside(std::string_view text, const std::string& name, file::ExternalFiles files,
                     const LoadOptions& options) {
  NamedWeights weights(files, options);
  return parse(text, {.file = name,
                      .resolve_ref = [&](const ContentHash& hash,
                                         const std::vector<std::string>& names) { return weights.find(hash, names); },
                      .load_external = [&](const ExternalTensor& external,
                                           const TensorType& type) { return files.tensor(external, type); },
                      .limits = options.limits});
}

}  // namespace

Program open_program(const std::filesystem::path& path, const LoadOptions& options) {
  const MappedFile mapped = map_file(path);
  const std::span<const std::byte> bytes = mapped.buffer.bytes;
  if (is_binary(bytes)) return load_program(path, options);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return parse_beside(text, path.string(), file::ExternalFiles(folder_of(path), mapped.identity), options);
}

Program parse_program(std::string_view text, const std::string& name, const std::filesystem::path& folder,
                      const LoadOptions& options) {
  return parse_beside(text, name, file::ExternalFiles(folder), options);
}

}  // namespace ingot
