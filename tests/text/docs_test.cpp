// The documentation of the text form: what it shows can be parsed.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "gen/test_paths.h"
#include "program/error.h"
#include "program/text.h"

namespace ingot {
namespace {

std::string file(const std::string& name) {
  std::ifstream stream(std::filesystem::path(test::source_dir) / name, std::ios::binary);
  EXPECT_TRUE(stream.good()) << name;
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<std::string> blocks(const std::string& text, const std::string& language) {
  const std::string open = "\n```" + language + "\n", close = "\n```";
  std::vector<std::string> all;
  for (size_t start = text.find(open); start != text.npos; start = text.find(open, start)) {
    start += open.size();
    all.push_back(text.substr(start, text.find(close, start) + 1 - start));
  }
  return all;
}

// A weight of whatever type is asked for: the examples name files that are not there.
Tensor zeros(const ExternalTensor&, const TensorType& type) {
  Tensor tensor = Tensor::allocate(type.dtype, *literal_sizes(type.shape), type.scheme);
  std::ranges::fill(tensor.mutable_bytes(), std::byte{});
  return tensor;
}

TEST(Docs, EveryBlockParses) {
  const std::vector<std::string> examples = blocks(file("docs/text.md"), "ingot");
  EXPECT_GE(examples.size(), 5u);
  const Tensor found = Tensor::of<float>({64, 64}, std::vector<float>(64 * 64));
  const auto resolve = [&](const ContentHash&, const std::vector<std::string>&) { return std::optional(found); };
  for (const std::string& example : examples) {
    try {
      const std::string printed =
          print(parse(example, {.resolve_ref = resolve, .load_external = zeros}), {.inline_bytes = 1 << 20});
      EXPECT_NE(printed, "ingot 1\n");
    } catch (const Error& error) {
      ADD_FAILURE() << error.what() << "\n" << example;
    }
  }
}

}  // namespace
}  // namespace ingot
