// The nearest name to one that does not exist, for messages.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ingot {

// The name at the smallest edit distance, the first of several; none where all are too far to be meant.
std::optional<std::string_view> nearest(std::string_view name, std::span<const std::string_view> names);

// `, did you mean 'softmax'?`, or nothing.
std::string did_you_mean(std::string_view name, std::span<const std::string_view> names);

}  // namespace ingot
