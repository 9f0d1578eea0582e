// ExternalFiles: safetensors files that a program names, found beside it and nowhere else.
//
// A name is a plain relative path: no `..`, no root, no drive, no backslash; and where symbolic links lead out of the
// folder, the file is refused as well.
//
// Ownership  each file is mapped and indexed once; the tensors keep the mapping alive.
// Threads    one thread at a time.
// Failure    Code::bad_file for a name or a tensor that does not fit the program and for a file whose name promises other
//            weights, Code::not_found for a missing file or tensor, and whatever the reader of safetensors throws.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "program/io/mapped_file.h"
#include "program/io/safetensors.h"
#include "program/program.h"

namespace ingot::file {

class ExternalFiles {
 public:
  // An empty folder: no file may be named. `program` is what the files must not be.
  explicit ExternalFiles(std::filesystem::path folder, std::optional<FileIdentity> program = {});

  // Where the file is, by its name in the program.
  std::filesystem::path path(const std::string& name) const;
  // The tensor, which must have that type.
  Tensor tensor(const ExternalTensor& external, const TensorType& type);

 private:
  const SafetensorsIndex& index(const std::string& name);

  std::filesystem::path folder_;
  std::optional<FileIdentity> program_;
  std::map<std::string, SafetensorsIndex> indices_;
};

}  // namespace ingot::file
