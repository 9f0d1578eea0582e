#include "program/text/suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "program/text/names.h"

namespace ingot {
namespace {

// Longer names are not compared: a message is not worth quadratic time.
constexpr size_t kLongest = 64;

// Insertions, deletions, replacements, and swaps of neighbours. Precondition: neither is longer than kLongest.
size_t edit_distance(std::string_view a, std::string_view b) {
  using Row = std::array<size_t, kLongest + 1>;
  Row before{}, last{}, row{};
  std::iota(last.begin(), last.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = last;
    last = row;
  }
  return last[b.size()];
}

}  // namespace

std::optional<std::string_view> nearest(std::string_view name, std::span<const std::string_view> names) {
  if (name.size() > kLongest) return {};
  size_t best = std::max<size_t>(1, name.size() / 3) + 1;
  std::optional<std::string_view> found;
  for (std::string_view candidate : names) {
    const size_t longer = std::max(name.size(), candidate.size()), shorter = std::min(name.size(), candidate.size());
    if (longer > kLongest || longer - shorter >= best) continue;
    const size_t distance = edit_distance(name, candidate);
    // A name of one letter is not a misspelling of every other.
    if (distance >= best || distance >= longer) continue;
    best = distance;
    found = candidate;
  }
  return found;
}

std::string did_you_mean(std::string_view name, std::span<const std::string_view> names) {
  const auto found = nearest(name, names);
  return found ? fmt::format(", did you mean '{}'?", text::shown(*found)) : "";
}

}  // namespace ingot
