#include "program/io/named_tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>

#include "program/error.h"

namespace ingot {

void check_bools(Code code, std::string_view subject, std::span<const std::byte> bytes) {
  const auto bad = std::find_if(bytes.begin(), bytes.end(), [](std::byte b) { return b > std::byte{1}; });
  if (bad == bytes.end()) return;
  throw Error::mismatch(code, "", fmt::format("{} element {}", subject, bad - bytes.begin()),
                        std::to_string(std::to_integer<int>(*bad)), "0 or 1");
}

Tensor view_from_file(DType dtype, Sizes sizes, Buffer bytes) {
  if (dtype == DType::bool_) check_bools(Code::bad_file, "bool", bytes.bytes);
  return Tensor(dtype, std::move(sizes), std::move(bytes));
}

Tensor tensor_from_file(DType dtype, Sizes sizes, Buffer bytes) {
  return view_from_file(dtype, std::move(sizes), std::move(bytes)).aligned();
}

std::string quote(std::string_view name) {
  constexpr size_t kMost = 80;
  if (name.size() <= kMost) return fmt::format("{:?}", name);
  return fmt::format("{:?}...", name.substr(0, kMost));
}

void check_names_differ(std::string_view format, std::span<const NamedTensor> tensors) {
  std::set<std::string_view> seen;
  for (const NamedTensor& t : tensors) {
    if (seen.insert(t.name).second) continue;
    throw Error(Code::invalid_argument, fmt::format("two tensors are named {}", quote(t.name))).in_op(format);
  }
}

}  // namespace ingot
