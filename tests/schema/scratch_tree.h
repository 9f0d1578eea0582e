// ScratchTree: a copy of the schema in a folder of its own, to be edited and given to ingot-schema.
//
// Ownership  the folder goes with the object. Threads  one. Failure  an edit that does not apply throws.
#pragma once

#include <filesystem>
#include <string>

#include "tests/support/command.h"

namespace ingot::test {

class ScratchTree {
 public:
  // The tree's schema/ingot.fbs, and a schema/released.fbs that was made from it.
  ScratchTree();

  const std::filesystem::path& path() const { return folder_.path(); }
  // Replaces the only occurrence of `from` in schema/ingot.fbs.
  void edit(const std::string& from, const std::string& to) const;
  // Adds the table of an op, and its field at the end of Ops.
  void add_op(const std::string& table, const std::string& field) const;
  // The last line of Ops: `  custom: [Custom];`
  std::string last_op() const;
  // Runs `ingot-schema` with these arguments in the folder.
  CommandResult generate(const std::string& arguments) const;
  std::string read(const std::string& name) const { return read_text(path() / name); }
  void write(const std::string& name, const std::string& text) const;
  // Every file below, with its contents, so that two states can be compared.
  std::string everything() const;

 private:
  ScratchFolder folder_;
};

// Compiles without output, the headers that `tree` generated into gen/ before those of the build.
CommandResult compile(const ScratchTree& tree, const std::string& file, const std::string& options = "-std=c++20");

}  // namespace ingot::test
