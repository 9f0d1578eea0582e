// Under `ulimit -v` the tool does its work or says what it could not have; it neither hangs nor aborts.
#include "runtime/engines.h"
#include "tests/cli/tool.h"
#include "tests/support/sanitized.h"

namespace ingot::test {
namespace {

#ifdef __linux__
TEST_F(Tool, WorksOrRefusesWithinAnyAddressSpace) {
  if (is_sanitized) GTEST_SKIP() << "sanitizers take address space as well";
  folder.write("product.txt", "ingot 1\nmethod f(%x: f32[64, 64]) -> (y) {\n  %y = matmul %x, %x\n  return %y\n}\n");
  int done = 0;
  for (const Engine* engine : engines()) {
    for (const int megabytes : {96, 112, 128, 160, 192, 224, 256, 320, 448, 640, 1024}) {
      for (const char* calls : {"1", "20"}) {
        const std::string line = "ulimit -v " + std::to_string(megabytes * 1024) + "; timeout 60 ingot run -q -e " +
                                 std::string(engine->name()) + " product.txt --random --repeat " + calls;
        const CommandResult result = run(line);
        done += result.exit_code == 0;
        if (result.exit_code == 0) continue;
        EXPECT_TRUE(result.exit_code == 4 || result.exit_code == 5) << line << ": " << result.exit_code;
        EXPECT_TRUE(result.err.starts_with("error: ")) << line << "\nwrote: " << result.err;
        EXPECT_TRUE(result.err.find("cannot be started") != std::string::npos ||
                    result.err.find("bytes") != std::string::npos)
            << line << "\nwrote: " << result.err;
      }
    }
  }
  EXPECT_GT(done, 0);
}
#endif

}  // namespace
}  // namespace ingot::test
