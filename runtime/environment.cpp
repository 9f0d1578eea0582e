#include "runtime/environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <optional>

#include "program/error.h"
#include "runtime/engines.h"

namespace ingot {
namespace {

std::optional<std::string> value_of(const char* variable) {
  const char* value = std::getenv(variable);
  if (!value) return std::nullopt;
  if (*value) return value;
  throw Error(Code::invalid_argument, fmt::format("{} is empty: unset it for the default", variable));
}

// `find` looks the name up, and throws where there is none.
template <class Find>
void read_name(const char* variable, std::string& into, Find find) {
  if (!into.empty()) return;
  std::optional<std::string> value = value_of(variable);
  if (!value) return;
  std::ranges::transform(*value, value->begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  try {
    find(*value);
  } catch (Error& error) {
    throw error.at_place(variable);
  }
  into = *value;
}

void read_threads(const char* variable, int& into) {
  if (into != 0) return;
  const std::optional<std::string> value = value_of(variable);
  if (!value) return;
  const char* end = value->data() + value->size();
  const auto [read, error] = std::from_chars(value->data(), end, into);
  if (read == end && error == std::errc() && into > 0) return;
  throw Error::mismatch(Code::invalid_argument, "", variable, fmt::format("'{}'", *value), "a number from 1 on");
}

}  // namespace

CompileOptions options_from_environment(CompileOptions options) {
  read_name("INGOT_ENGINE", options.engine, [](const std::string& name) { find_engine(name); });
  const auto find_device = [&](const std::string& name) { ingot::find_device(find_engine(options.engine), name); };
  const auto find_mode = [&](const std::string& name) { ingot::find_mode(find_engine(options.engine), name); };
  read_name("INGOT_DEVICE", options.device, find_device);
  read_name("INGOT_MODE", options.mode, find_mode);
  read_threads("INGOT_THREADS", options.threads);
  return options;
}

}  // namespace ingot
