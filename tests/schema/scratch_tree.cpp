#include "tests/schema/scratch_tree.h"

#include <fmt/format.h>

#include <fstream>
#include <set>
#include <stdexcept>

#include "gen/test_paths.h"

namespace ingot::test {

namespace fs = std::filesystem;

ScratchTree::ScratchTree() {
  fs::create_directories(path() / "schema");
  fs::copy_file(fs::path(source_dir) / "schema/ingot.fbs", path() / "schema/ingot.fbs");
  if (const CommandResult made = generate("--release"); made.exit_code != 0) throw std::runtime_error(made.err);
}

void ScratchTree::edit(const std::string& from, const std::string& to) const {
  std::string text = read("schema/ingot.fbs");
  const size_t at = text.find(from);
  if (at == std::string::npos || text.find(from, at + 1) != std::string::npos) {
    throw std::runtime_error("the schema does not hold this once: " + from);
  }
  write("schema/ingot.fbs", text.replace(at, from.size(), to));
}

void ScratchTree::add_op(const std::string& table, const std::string& field) const {
  edit("/// Every op of one graph", table + "\n/// Every op of one graph");
  const std::string last = last_op();
  edit(last, last + "  " + field + ";\n");
}

std::string ScratchTree::last_op() const {
  const std::string text = read("schema/ingot.fbs");
  const size_t end = text.find("\n}", text.find("table Ops {")), start = text.rfind('\n', end - 1);
  return text.substr(start + 1, end - start);
}

CommandResult ScratchTree::generate(const std::string& arguments) const {
  return run_command("ingot-schema " + arguments, path());
}

void ScratchTree::write(const std::string& name, const std::string& text) const {
  std::ofstream(path() / name, std::ios::binary) << text;
}

std::string ScratchTree::everything() const {
  std::set<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(path())) {
    if (entry.is_regular_file()) files.insert(entry.path());
  }
  std::string all;
  for (const fs::path& file : files) all += fmt::format("{}\n{}\n", file.string(), read_text(file));
  return all;
}

CommandResult compile(const ScratchTree& tree, const std::string& file, const std::string& options) {
  return run_command(
      fmt::format("'{}' {} -fsyntax-only -I . -I '{}' -I '{}' '{}'", cxx, options, source_dir, build_dir, file),
      tree.path());
}

}  // namespace ingot::test
