// The tool in a folder of its own, as a user runs it.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "gen/test_paths.h"
#include "tests/support/command.h"

namespace ingot::test {

inline constexpr const char* kScale = R"(ingot 1
symbol S in 1..8
weight @w : f32[2] = [10.0, 100.0]
state @calls : i64[] = zeros
method scale(%x: f32[S, 2]) -> (y, calls) {
  %y = mul %x, @w
  %before = state_read {state=@calls}
  %one = full {shape=[], value=1, dtype=i64}
  %now = add %before, %one
  %after = state_write %now {state=@calls}
  return %y, %after
}
)";

// Fails while it runs for an i that is not there.
inline constexpr const char* kTake =
    "ingot 1\nmethod f(%x: f32[3], %i: i64[1]) -> (y) {\n  %y = take %x, %i {axis=0}\n  return %y\n}\n";

class Tool : public testing::Test {
 protected:
  Tool() { folder.write("scale.txt", kScale); }

  CommandResult run(const std::string& line) const { return run_command(line, folder.path()); }

  // Runs, and expects the exit code and these words on stderr.
  void expect_refused(const std::string& line, int code, const std::string& message) const {
    const CommandResult result = run(line);
    EXPECT_EQ(result.exit_code, code) << line << "\n" << result.err;
    EXPECT_NE(result.err.find(message), std::string::npos) << line << "\nwrote: " << result.err;
    EXPECT_EQ(result.err.find('\x1b'), std::string::npos) << "colours without a terminal";
  }

  static void expect_words(const std::string& text, std::initializer_list<const char*> words) {
    for (const char* word : words) EXPECT_NE(text.find(word), std::string::npos) << word << " in\n" << text;
  }

  // Runs, and expects exit code 0, nothing on stderr, and returns stdout.
  std::string expect_done(const std::string& line) const {
    const CommandResult result = run(line);
    EXPECT_EQ(result.exit_code, 0) << line << "\n" << result.err;
    EXPECT_EQ(result.err, "") << line;
    EXPECT_EQ(result.out.find('\x1b'), std::string::npos) << "colours without a terminal";
    return result.out;
  }

  ScratchFolder folder;
};

}  // namespace ingot::test
