#include "program/file/external.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "program/error.h"
#include "program/file/weights_file.h"

namespace ingot::file {

namespace {

namespace fs = std::filesystem;

bool is_plain(std::string_view component) { return !component.empty() && component != "." && component != ".."; }

// Judged as text, so that the answer is the same on every system.
bool is_plain_relative(std::string_view name) {
  const auto odd = [](unsigned char c) { return c == '\\' || c == ':' || c < 32 || c == 127; };
  if (std::any_of(name.begin(), name.end(), odd)) return false;
  for (size_t slash = name.find('/'); slash != name.npos; slash = name.find('/')) {
    if (!is_plain(name.substr(0, slash))) return false;
    name.remove_prefix(slash + 1);
  }
  return is_plain(name);
}

bool is_inside(const fs::path& folder, const fs::path& path) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

fs::path canonical(const fs::path& path, const std::string& name) {
  std::error_code error;
  fs::path result = fs::canonical(path, error);
  if (!error) return result;
  const Code code = error == std::errc::no_such_file_or_directory ? Code::not_found : Code::io;
  throw Error(code, fmt::format("cannot find the weights file {}: {}", quote(name), error.message()));
}

fs::path resolve(const fs::path& folder, const std::string& name) {
  if (!is_plain_relative(name)) {
    throw Error::mismatch(Code::bad_file, "", "name of a weights file", quote(name),
                          "a relative path below the folder of the program");
  }
  if (folder.empty()) {
    throw Error(Code::bad_file,
                fmt::format("the program names the weights file {}, but was not read from a folder", quote(name)));
  }
  const fs::path path = canonical(folder / name, name);
  if (is_inside(canonical(folder, name), path)) return path;
  throw Error(Code::bad_file,
              fmt::format("the weights file {} is a link that leads out of the folder of the program", quote(name)));
}

}  // namespace

ExternalFiles::ExternalFiles(fs::path folder, std::optional<FileIdentity> program)
    : folder_(std::move(folder)), program_(program) {}

fs::path ExternalFiles::path(const std::string& name) const { return resolve(folder_, name); }

const SafetensorsIndex& ExternalFiles::index(const std::string& name) {
  if (const auto found = indices_.find(name); found != indices_.end()) return found->second;
  const MappedFile file = map_file(path(name));
  if (program_ == file.identity) {
    throw Error(Code::bad_file, fmt::format("the weights file {} is the program itself", quote(name)));
  }
  SafetensorsIndex index(file.buffer);
  check_digest(name, index.metadata());
  return indices_.emplace(name, std::move(index)).first->second;
}

Tensor ExternalFiles::tensor(const ExternalTensor& external, const TensorType& type) {
  const SafetensorsIndex& file = index(external.file);
  const SafetensorsIndex::Entry* entry = file.find(external.tensor);
  if (!entry) {
    throw Error(Code::not_found,
                fmt::format("the weights file {} has no tensor {}", quote(external.file), quote(external.tensor)));
  }
  const TensorType found{entry->dtype, Shape(entry->sizes.begin(), entry->sizes.end()), {}};
  if (found == type) return file.tensor(*entry);
  throw Error::mismatch(Code::bad_file, "",
                        fmt::format("tensor {} of {}", quote(external.tensor), quote(external.file)), to_string(found),
                        to_string(type));
}

}  // namespace ingot::file
