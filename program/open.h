// Opening a program from disk, whichever form it has.
//
// Threads    free functions. Failure  as load_program (program/file.h) and parse (program/text.h).
#pragma once

#include <filesystem>
#include <string_view>

#include "program/file.h"
#include "program/program.h"

namespace ingot {

// A .ingot file or the text form, told apart by the first bytes. In text, weights by hash are looked for in the files
// that `weights_from` names, and weights in safetensors files, both beside the text.
Program open_program(const std::filesystem::path& path, const LoadOptions& options = {});

// Text that is not in a file: `folder` is where files that it names are; empty: none may be named.
Program parse_program(std::string_view text, const std::string& name, const std::filesystem::path& folder,
                      const LoadOptions& options = {});

}  // namespace ingot
