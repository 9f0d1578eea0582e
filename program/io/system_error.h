// Errors of the operating system and of paths, in one wording for reading and writing.
#pragma once

#include <filesystem>
#include <string_view>

#include "program/error.h"

namespace ingot {

// `cannot open model.ingot: Permission denied`, by errno. Code::not_found for ENOENT, else Code::io.
Error system_error(std::string_view action, const std::filesystem::path& path, int error_number);
// Throws Code::invalid_argument unless `mode` (st_mode) is that of a regular file.
void check_regular(const std::filesystem::path& path, unsigned mode);

}  // namespace ingot
