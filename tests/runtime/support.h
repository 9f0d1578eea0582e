// What the tests of the runtime share.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "program/text.h"
#include "runtime/session.h"
#include "tests/program/io_support.h"

namespace ingot::test {

inline Executable compiled(std::string_view text, const CompileOptions& options = {}) {
  return compile(parse("ingot 1\n" + std::string(text)), options);
}

template <class T>
std::vector<T> values(const Tensor& tensor) {
  const auto elements = tensor.as<T>();
  return {elements.begin(), elements.end()};
}

inline Tensor f32(Sizes sizes, const std::vector<float>& elements) { return Tensor::of(std::move(sizes), elements); }
inline Tensor i64(int64_t value) { return Tensor::of<int64_t>({}, {value}); }

}  // namespace ingot::test
