// A schema that changes is in the precompiled headers of the next build, also where the compiler runs through ccache.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "gen/test_paths.h"
#include "tests/support/command.h"

namespace ingot::test {
namespace {

bool is_clang() { return std::string_view(cxx).find("clang") != std::string_view::npos; }

// A header with a value, precompiled and used as CMake does both.
class Precompiled {
 public:
  Precompiled() {
    folder_.write("all.h", "#include \"value.h\"\n");
    folder_.write("all.h.cpp", "/* empty */\n");
  }

  void make(int value) const {
    folder_.write("value.h", fmt::format("#pragma once\nconstexpr int value = {};\n", value));
    compile(fmt::format("-x c++-header {} -include all.h -o {} -c all.h.cpp", is_clang() ? "-Xclang -emit-pch" : "",
                        made().string()));
  }
  void expect(int value) const {
    folder_.write("use.cpp", fmt::format("static_assert(value == {});\n", value));
    compile((is_clang() ? "-Xclang -include-pch -Xclang all.h.pch " : "") +
            std::string("-include all.h -c use.cpp -o use.o"));
  }
  std::filesystem::path made() const { return folder_.path() / (is_clang() ? "all.h.pch" : "all.h.gch"); }

 private:
  void compile(const std::string& arguments) const {
    const CommandResult result =
        run_command(fmt::format("CCACHE_DIR=cache '{}/cmake/compile_with_ccache' ccache '{}' -Winvalid-pch {}",
                                source_dir, cxx, arguments),
                    folder_.path());
    EXPECT_EQ(result.exit_code, 0) << result.err;
  }

  ScratchFolder folder_;
};

// Two changes that start from the same precompiled header: that of a branch that is checked out again comes from the cache.
TEST(PrecompiledHeaders, FollowTheHeadersWithinThem) {
  if (run_command("command -v ccache", "/").exit_code != 0) GTEST_SKIP() << "there is no ccache";
  const Precompiled header;
  header.make(1);
  header.expect(1);
  const std::string first = read_text(header.made());
  for (const int value : {2, 3}) {
    std::ofstream(header.made(), std::ios::binary) << first;
    header.make(value);
    header.expect(value);
  }
}

}  // namespace
}  // namespace ingot::test
