// The text form: whatever the text is, an Error or a program; a program printed and parsed prints the same again, and
// runs within small limits.
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "program/error.h"
#include "program/text.h"
#include "tests/file/run_within_limits.h"

using namespace ingot;

namespace {

// Every weight that a text only names is there, all zeros, as long as it is small.
Tensor zeros(const ExternalTensor&, const TensorType& type) {
  const Sizes sizes = *literal_sizes(type.shape);
  if (byte_count(type.dtype, sizes, type.scheme) > 1 << 16) throw Error(Code::limit, "too large for a test");
  Tensor tensor = Tensor::allocate(type.dtype, sizes, type.scheme);
  for (std::byte& byte : tensor.mutable_bytes()) byte = {};
  return tensor;
}

std::optional<Program> read(std::string_view text) try {
  const Limits small{.nodes = 1000,
                     .values = 2000,
                     .graphs = 100,
                     .weights = 100,
                     .states = 100,
                     .symbols = 20,
                     .rank = 16,
                     .nesting = 16,
                     .name_bytes = 256,
                     .tensor_bytes = 1 << 20};
  return parse(text, {.load_external = zeros, .limits = small});
} catch (const Error&) {
  return {};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto program = read({reinterpret_cast<const char*>(data), size});
  if (!program) return 0;
  const TextOptions options{.inline_bytes = 1 << 20, .types = size % 2 == 0};
  const std::string text = print(*program, options);
  const auto again = read(text);
  if (!again || print(*again, options) != text) std::abort();
  test::run_within_limits(*program);
  return 0;
}
