// Flags as they are given: what is empty, out of range or contradicts another is refused, never guessed at.
#include <gtest/gtest.h>

#include <string>

#include "tests/cli/tool.h"

namespace ingot::test {
namespace {

using Flags = Tool;

TEST_F(Flags, SizesAreNumbers) {
  for (const std::string number : {"", "99999999999999999999", "-99999999999999999999", "3x", " 3", "three"}) {
    for (const std::string verb : {"run", "bench", "explain", "diff --against reference"}) {
      expect_refused("ingot " + verb + " scale.txt --random --size 'S=" + number + "'", 4,
                     "error: S=" + number + ": expected SYMBOL=NUMBER");
    }
  }
  expect_refused("ingot run scale.txt --random --size S", 4, "error: S: expected SYMBOL=NUMBER");
  expect_refused("ingot run scale.txt --random --size S=-1", 4, "S is -1, expected 1..8");
}

TEST_F(Flags, AgainstNamesAnEngine) {
  for (const std::string against : {"", ":", ":eager", "reference:"}) {
    expect_refused("ingot diff scale.txt --random --size S=1 --against '" + against + "'", 2,
                   "error: --against is '" + against + "', expected ENGINE, ENGINE:MODE, or a .npz");
  }
  expect_done("ingot diff scale.txt --random --size S=1 --against reference:eager");
}

}  // namespace
}  // namespace ingot::test
