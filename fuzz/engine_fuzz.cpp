// Engines: a program in text form runs on every engine that the build has, in every mode, under small limits. Whatever its
// sizes and attributes are, a call ends with outputs of the declared types or with an Error. One of its nodes runs by
// itself as well, with one of its integers at an extreme.
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "program/error.h"
#include "program/text.h"
#include "runtime/engines.h"
#include "tests/support/extremes.h"

using namespace ingot;

namespace {

std::optional<Program> read(std::string_view text) try {
  return parse(text, {.limits = test::small_limits()});
} catch (const Error&) {
  return {};
}

void run_everywhere(const Program& program) {
  for (const Engine* engine : engines()) {
    for (const std::string_view mode : engine->modes()) {
      test::run_within_limits(program, {.engine = std::string(engine->name()), .mode = std::string(mode)});
    }
  }
}

struct Integer {
  const Graph& graph;
  const Node& node;
  size_t place;
};

std::vector<Integer> integers_of(const Program& program) {
  std::vector<Integer> all;
  for (const Graph& graph : program.graphs) {
    for (const Node& node : graph.nodes) {
      for (size_t place = 0; place < test::count_integers(node.op); ++place) all.push_back({graph, node, place});
    }
  }
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto program = read({reinterpret_cast<const char*>(data), size});
  if (!program) return 0;
  run_everywhere(*program);
  const std::vector<Integer> integers = integers_of(*program);
  if (integers.empty()) return 0;
  size_t draw = 0;
  for (size_t i = 0; i < size; ++i) draw = draw * 31 + data[i];
  const Integer& one = integers[draw % integers.size()];
  for (const test::ExtremeCase& each : test::extremes_of(*program, one.graph, one.node, one.place)) {
    run_everywhere(each.program);
  }
  return 0;
}
