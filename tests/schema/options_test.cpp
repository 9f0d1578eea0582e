// Every option of ingot-schema: what it writes, what it leaves alone, and what it says when it cannot.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "gen/test_paths.h"
#include "tests/schema/scratch_tree.h"

namespace ingot::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKept[] = {"python/ingot/ops.py", "capi/ingot_enums.h", "zig/src/enums.zig", "docs/ops.md",
                                 "fuzz/text.dict"};
constexpr const char* kHeaders[] = {"enums.h",
                                    "ops.h",
                                    "fields.h",
                                    "fields.cpp",
                                    "families.h",
                                    "options.h",
                                    "builder_methods.inc",
                                    "builder_methods.cpp",
                                    "op_pages.h"};

void expect_refused(const CommandResult& result, int code, const std::string& message) {
  EXPECT_EQ(result.exit_code, code);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, message);
}

void expect_done(const CommandResult& result, const std::string& out = "") {
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, out);
  EXPECT_EQ(result.err, "");
}

TEST(Options, HelpNamesThemAll) {
  const CommandResult help = ScratchTree().generate("--help");
  EXPECT_EQ(help.exit_code, 0);
  for (const char* option :
       {"--root", "--schema", "--out", "--flatc", "--skip-flatc", "--dry-run", "--check", "--release"}) {
    EXPECT_NE(help.out.find(option), std::string::npos) << option;
  }
}

TEST(Options, UnknownOnesAreWrongUsage) {
  const CommandResult result = ScratchTree().generate("--chekc");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("--chekc"), std::string::npos) << result.err;
}

TEST(Options, WithoutOutOnlyKeptFilesAreWritten) {
  const ScratchTree tree;
  expect_done(tree.generate("--flatc /nowhere/flatc"));
  for (const char* name : kKept) EXPECT_EQ(tree.read(name), read_text(fs::path(source_dir) / name)) << name;
  for (const char* name : kHeaders) EXPECT_FALSE(fs::exists(tree.path() / name)) << name;
}

TEST(Options, OutTakesTheHeaders) {
  const ScratchTree tree;
  expect_done(tree.generate("--out gen --flatc '" + std::string(flatc) + "'"));
  for (const char* name : kHeaders) {
    EXPECT_EQ(tree.read(std::string("gen/") + name), read_text(fs::path(build_dir) / "gen" / name)) << name;
  }
  EXPECT_NE(tree.read("gen/ingot_generated.h").find("struct Program"), std::string::npos);
}

TEST(Options, UnchangedFilesKeepTheirTime) {
  const ScratchTree tree;
  expect_done(tree.generate("--out gen --skip-flatc"));
  const auto old = fs::file_time_type::clock::now() - std::chrono::hours(1);
  for (const char* name : {"gen/ops.h", "gen/enums.h", "docs/ops.md"}) fs::last_write_time(tree.path() / name, old);
  tree.write("gen/enums.h", "something else");
  expect_done(tree.generate("--out gen --skip-flatc"));
  EXPECT_EQ(fs::last_write_time(tree.path() / "gen/ops.h"), old);
  EXPECT_EQ(fs::last_write_time(tree.path() / "docs/ops.md"), old);
  EXPECT_GT(fs::last_write_time(tree.path() / "gen/enums.h"), old);
}

TEST(Options, SchemaAndRootMayBeElsewhere) {
  const ScratchTree tree;
  fs::rename(tree.path() / "schema/ingot.fbs", tree.path() / "it's mine.fbs");
  expect_done(tree.generate("--schema \"it's mine.fbs\" --root 'other root' --out 'o u t'"));
  EXPECT_EQ(tree.read("other root/docs/ops.md"), read_text(fs::path(source_dir) / "docs/ops.md"));
  EXPECT_NE(tree.read("o u t/it's mine_generated.h").find("struct Program"), std::string::npos);
}

TEST(Options, SkipFlatcDoesNotRunIt) {
  const ScratchTree tree;
  expect_done(tree.generate("--out gen --skip-flatc --flatc /nowhere/flatc"));
  EXPECT_TRUE(fs::exists(tree.path() / "gen/ops.h"));
  EXPECT_FALSE(fs::exists(tree.path() / "gen/ingot_generated.h"));
}

TEST(Options, FlatcThatIsNotThere) {
  expect_refused(ScratchTree().generate("--out gen --flatc /nowhere/flatc"), 4,
                 "ingot-schema: cannot run /nowhere/flatc: No such file or directory\n");
}

TEST(Options, FlatcThatFails) {
  expect_refused(ScratchTree().generate("--out gen --flatc false"), 4,
                 "ingot-schema: false failed on ./schema/ingot.fbs\n");
}

TEST(Options, DryRunSaysWhatWouldChangeAndWritesNothing) {
  const ScratchTree tree;
  const std::string before = tree.everything();
  expect_done(tree.generate("--dry-run"),
              "changed ./python/ingot/ops.py\nchanged ./capi/ingot_enums.h\nchanged ./zig/src/enums.zig\n"
              "changed ./docs/ops.md\nchanged ./fuzz/text.dict\n");
  expect_done(
      tree.generate("--dry-run --out gen --flatc /nowhere/flatc"),
      "changed gen/enums.h\nchanged gen/ops.h\nchanged gen/fields.h\nchanged gen/fields.cpp\nchanged gen/families.h\n"
      "changed gen/options.h\nchanged gen/builder_methods.inc\nchanged gen/builder_methods.cpp\nchanged "
      "gen/op_pages.h\nchanged ./python/ingot/ops.py\n"
      "changed ./capi/ingot_enums.h\nchanged ./zig/src/enums.zig\nchanged ./docs/ops.md\nchanged ./fuzz/text.dict\n"
      "flatc   gen/ingot_generated.h\n");
  EXPECT_EQ(tree.everything(), before);

  expect_done(tree.generate(""));
  tree.write("docs/ops.md", "old");
  expect_done(tree.generate("--dry-run"),
              "same    ./python/ingot/ops.py\nsame    ./capi/ingot_enums.h\nsame    ./zig/src/enums.zig\n"
              "changed ./docs/ops.md\nsame    ./fuzz/text.dict\n");
  EXPECT_EQ(tree.read("docs/ops.md"), "old");
}

std::set<std::string> files_below(const fs::path& folder) {
  std::set<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.insert(fs::relative(entry.path(), folder).lexically_normal().string());
  }
  return files;
}

// What it lists is what a run writes, whichever options there are.
TEST(Options, DryRunListsEveryFileThatIsWritten) {
  const std::string out = "--out gen --flatc '" + std::string(flatc) + "'";
  for (const std::string& options : {std::string(), out, out + " --skip-flatc", std::string("--release")}) {
    const ScratchTree tree;
    fs::remove(tree.path() / "schema/released.fbs");
    const std::set<std::string> before = files_below(tree.path());
    std::set<std::string> listed = before;
    std::istringstream lines(tree.generate("--dry-run " + options).out);
    for (std::string line; std::getline(lines, line);) {
      listed.insert(fs::path(line.substr(8)).lexically_normal().string());
    }
    EXPECT_EQ(files_below(tree.path()), before);
    expect_done(tree.generate(options));
    EXPECT_EQ(files_below(tree.path()), listed) << options;
    EXPECT_GT(listed.size(), before.size());
  }
}

TEST(Options, OutThatCannotBeWritten) {
  const ScratchTree tree;
  tree.write("file", "in the way");
  expect_refused(tree.generate("--out file --skip-flatc"), 4,
                 "ingot-schema: cannot write file/enums.h: Not a directory\n");
  expect_refused(tree.generate("--out file/below --skip-flatc"), 4,
                 "ingot-schema: cannot write file/below/enums.h: Not a directory\n");
  fs::create_directories(tree.path() / "gen/ops.h");
  expect_refused(tree.generate("--out gen --skip-flatc"), 4, "ingot-schema: cannot write gen/ops.h: Is a directory\n");
}

TEST(Options, SchemaThatCannotBeRead) {
  const ScratchTree tree;
  expect_refused(tree.generate("--schema none.fbs"), 4,
                 "ingot-schema: cannot read none.fbs: No such file or directory\n");
  expect_refused(tree.generate("--schema schema"), 4, "ingot-schema: cannot read schema: Is a directory\n");
  expect_refused(tree.generate("--root elsewhere"), 4,
                 "ingot-schema: cannot read elsewhere/schema/ingot.fbs: No such file or directory\n");
}

// ---------------------------------------------------------------------------------------------------------------- check

TEST(Check, PassesOnTheTreeItself) {
  expect_done(run_command("ingot-schema --check --root '" + std::string(source_dir) + "'", "/"));
}

TEST(Check, NamesEveryStaleFileAndWritesNothing) {
  const ScratchTree tree;
  expect_done(tree.generate(""));
  expect_done(tree.generate("--check"));
  tree.write("docs/ops.md", tree.read("docs/ops.md") + " ");
  fs::remove(tree.path() / "zig/src/enums.zig");
  const std::string before = tree.everything();
  expect_refused(tree.generate("--check"), 1,
                 "zig/src/enums.zig is stale: run ingot-schema --root .\n"
                 "docs/ops.md is stale: run ingot-schema --root .\n");
  EXPECT_EQ(tree.everything(), before);
}

TEST(Check, NeedsTheReleasedSchema) {
  const ScratchTree tree;
  expect_done(tree.generate(""));
  fs::remove(tree.path() / "schema/released.fbs");
  expect_refused(tree.generate("--check"), 4,
                 "ingot-schema: cannot read ./schema/released.fbs: No such file or directory\n");
  tree.write("schema/released.fbs", "table {");  // nor is it of any version
  const CommandResult result = tree.generate("--check");
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_NE(result.err.find("ingot-schema: the released schema: "), std::string::npos) << result.err;
}

}  // namespace
}  // namespace ingot::test
