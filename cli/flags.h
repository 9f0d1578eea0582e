// Checks of flags, for CLI::Option::check: an empty text is well, any other says what is wrong.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>

#include "engines/run_limits.h"

namespace ingot::cli {

// Finite numbers, above 0 or from it on.
std::string check_above_zero(const std::string& text);
std::string check_from_zero(const std::string& text);

// An integer in decimal, without sign or leading zeros: the parser of flags would wrap, clamp and read octal.
std::function<std::string(const std::string&)> integer_within(uint64_t min,
                                                              uint64_t max = std::numeric_limits<uint64_t>::max());
// Of a flag that is an int64_t.
inline constexpr uint64_t kLargest = std::numeric_limits<int64_t>::max();

// A file to write, or `-`.
std::string check_path(const std::string& text);

// --max-memory and --max-steps, with the limits that are there as defaults. `what` is limited by them: `a call`.
void add_limit_options(CLI::App& app, RunLimits& limits, std::string_view what);

}  // namespace ingot::cli
