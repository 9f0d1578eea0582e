#include "tests/support/op_examples.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "gen/test_paths.h"
#include "program/text.h"

namespace ingot::test {

namespace fs = std::filesystem;

static std::vector<Program> read_examples() {
  std::vector<fs::path> paths;
  for (const auto& file : fs::directory_iterator(fs::path(source_dir) / "tests/data/ops")) paths.push_back(file.path());
  std::ranges::sort(paths);
  std::vector<Program> programs;
  for (const fs::path& path : paths) {
    ParseOptions options;
    options.file = path.filename().string();
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    programs.push_back(parse(text.str(), options));
  }
  return programs;
}

const std::vector<Program>& op_examples() {
  static const std::vector<Program> programs = read_examples();
  return programs;
}

std::vector<OpExample> op_examples(Opcode opcode) {
  std::vector<OpExample> found;
  for (const Program& program : op_examples()) {
    for (const Graph& graph : program.graphs) {
      for (const Node& node : graph.nodes) {
        if (node.op.index() == static_cast<size_t>(opcode)) found.push_back({program, graph, node});
      }
    }
  }
  return found;
}

}  // namespace ingot::test
