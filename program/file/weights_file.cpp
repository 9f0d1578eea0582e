#include "program/file/weights_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "program/error.h"
#include "program/program.h"

namespace ingot::file {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExtension = ".safetensors", kDigestKey = "ingot.digest";
constexpr size_t kDigits = 32;

// Over names, types and bytes, in whatever order the tensors come. The hashes that weights carry are only hints.
std::string digest_of(std::span<const NamedTensor> tensors) {
  std::map<std::string, ContentHash> hashes;
  for (const NamedTensor& tensor : tensors) hashes.emplace(tensor.name, content_hash(tensor.tensor));
  std::string text;
  for (const auto& [name, hash] : hashes) text.append(name).append(1, '\0').append(to_string(hash)).append(1, '\n');
  const Tensor bytes(DType::u8, {static_cast<int64_t>(text.size())}, Buffer::copy_of(std::as_bytes(std::span(text))));
  return to_string(content_hash(bytes));
}

// The digest in `PROGRAM-DIGEST.safetensors`, where the name has this form.
std::optional<std::string_view> digest_in(std::string_view name) {
  if (!name.ends_with(kExtension)) return std::nullopt;
  name.remove_suffix(kExtension.size());
  if (name.size() <= kDigits || name[name.size() - kDigits - 1] != '-') return std::nullopt;
  const std::string_view digits = name.substr(name.size() - kDigits);
  const bool hex = digits.find_first_not_of("0123456789abcdef") == digits.npos;
  return hex ? std::optional(digits) : std::nullopt;
}

std::string name_of(const fs::path& program, std::string_view digest) {
  return fmt::format("{}-{}{}", program.filename().string(), digest, kExtension);
}

fs::path folder_of(const fs::path& program) { return program.has_parent_path() ? program.parent_path() : "."; }

}  // namespace

std::string write_weights_file(const fs::path& program, std::span<const NamedTensor> tensors) {
  const std::string digest = digest_of(tensors);
  const std::string name = name_of(program, digest);
  write_safetensors(folder_of(program) / name, tensors, {{std::string(kDigestKey), digest}});
  return name;
}

void check_digest(const std::string& name, const SafetensorsMetadata& metadata) {
  const auto wanted = digest_in(name);
  if (!wanted) return;
  const auto found = metadata.find(kDigestKey);
  if (found != metadata.end() && found->second == *wanted) return;
  throw Error::mismatch(Code::bad_file, "", fmt::format("the digest in the weights file {}", quote(name)),
                        found == metadata.end() ? "missing" : quote(found->second),
                        fmt::format("\"{}\" as in its name: these are not the weights of the program", *wanted));
}

std::vector<fs::path> weights_files_of(const fs::path& program) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder_of(program), error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const auto digest = digest_in(name);
    if (digest && name == name_of(program, *digest)) files.push_back(entry->path());
  }
  return files;
}

void remove_unnamed_weights(const fs::path& program, const std::set<std::string>& named) {
  for (const fs::path& file : weights_files_of(program)) {
    std::error_code ignored;  // one that cannot be removed now is tried again by the next save
    if (!named.contains(file.filename().string())) fs::remove(file, ignored);
  }
}

fs::path lock_path(const fs::path& program) {
  return folder_of(program) / fmt::format(".ingot-{}.lock", program.filename().string());
}

}  // namespace ingot::file
