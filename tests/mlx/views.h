// Tests of ops on views: operands that are transposed, sliced, reversed or stretched in place, so that their memory is not
// in the order of the elements.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/support/agreement.h"

namespace ingot::test {

struct View {
  const char* name;
  Sizes sizes;       // of %x
  const char* text;  // makes %v of it
};

inline void PrintTo(const View& view, std::ostream* out) { *out << view.name; }

inline std::string view_name(const testing::TestParamInfo<View>& info) { return info.param.name; }

// The results are what `ops` make of %v.
inline std::string program_on(const View& view, std::string_view ops, std::string_view results) {
  return fmt::format("ingot 1\nmethod main(%x: f32[{}]) -> ({}) {{\n  {}\n{}  return {}\n}}\n",
                     fmt::join(view.sizes, ", "), results, view.text, ops, values_named(results));
}

}  // namespace ingot::test
