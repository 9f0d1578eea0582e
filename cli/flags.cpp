#include "cli/flags.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>

namespace ingot::cli {

static std::optional<double> finite_number(const std::string& text) {
  double number = 0;
  const bool is_number = CLI::detail::lexical_cast(text, number) && std::isfinite(number);
  return is_number ? std::optional(number) : std::nullopt;
}

std::string check_above_zero(const std::string& text) {
  const std::optional<double> number = finite_number(text);
  return number && *number > 0 ? "" : fmt::format("{} is no finite number above 0", text);
}

std::string check_from_zero(const std::string& text) {
  const std::optional<double> number = finite_number(text);
  return number && *number >= 0 ? "" : fmt::format("{} is no finite number from 0 on", text);
}

std::function<std::string(const std::string&)> integer_within(uint64_t min, uint64_t max) {
  return [min, max](const std::string& text) -> std::string {
    uint64_t number = 0;
    const bool fits = std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc();
    const bool plain = fits && std::to_string(number) == text;
    return plain && number >= min && number <= max ? "" : fmt::format("{} is no integer from {} to {}", text, min, max);
  };
}

void add_limit_options(CLI::App& app, RunLimits& limits, std::string_view what) {
  app.add_option("--max-memory", limits.bytes, fmt::format("BYTES that {} may take", what))
      ->check(integer_within(0, kLargest))
      ->capture_default_str();
  const bool bounded = limits.steps < std::numeric_limits<uint64_t>::max();
  app.add_option(
         "--max-steps", limits.steps,
         fmt::format("nodes, trips and elements that {} may take{}", what, bounded ? "" : "; absent: any number"))
      ->check(integer_within(0))
      ->default_str(bounded ? std::to_string(limits.steps) : "");
}

std::string check_path(const std::string& text) {
  return text.empty() ? "the name is empty, expected that of a file, or - for standard output" : "";
}

}  // namespace ingot::cli
