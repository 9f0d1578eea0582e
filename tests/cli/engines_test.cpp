// Engines, and the flags by which a verb chooses one: engines, --engine, --device, --mode and the environment.
#include "runtime/engines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/tool.h"

namespace ingot::test {
namespace {

bool has_mlx() {
  return std::ranges::any_of(engines(), [](const Engine* engine) { return engine->name() == "mlx"; });
}

TEST_F(Tool, EnginesAreListedWithModesAndDevices) {
  const std::string text = expect_done("ingot engines");
  EXPECT_NE(text.find("reference 1\n  modes   eager\n  device  cpu: plain loops on one core, "), std::string::npos)
      << text;
  const auto json = nlohmann::json::parse(expect_done("ingot engines --json"));
  ASSERT_EQ(json.size(), engines().size());
  for (size_t i = 0; i < json.size(); ++i) {
    const Engine& engine = *engines()[i];
    EXPECT_EQ(json[i]["name"], engine.name());
    EXPECT_EQ(json[i]["version"], engine.version());
    EXPECT_EQ(json[i]["modes"].size(), engine.modes().size());
    ASSERT_EQ(json[i]["devices"].size(), engine.devices().size());
    EXPECT_EQ(json[i]["devices"][0]["name"], engine.devices()[0].name);
    EXPECT_GT(json[i]["devices"][0]["memory"], 0);
  }
  expect_refused("ingot engines mlx", 2, "mlx");
}

TEST_F(Tool, WhatDoesNotExistIsRefusedWithWhatDoes) {
  for (const std::string verb : {"run", "bench", "explain", "diff --against reference"}) {
    const std::string line = "ingot " + verb + " scale.txt --random --size S=2 ";
    const std::string known = has_mlx() ? "mlx or reference" : "reference";
    expect_refused(line + "--engine warp", 2, "error: there is no engine 'warp', expected " + known);
    expect_refused(line + "--engine reference --mode fast", 2,
                   "error: there is no mode of reference 'fast', expected eager");
    expect_refused(line + "--engine reference --device npu", 2,
                   "error: there is no device of reference 'npu', expected cpu");
  }
}

TEST_F(Tool, TheEnvironmentIsTheDefault) {
  const std::string line = "ingot explain scale.txt --size S=2";
  EXPECT_EQ(expect_done(line).find(has_mlx() ? "scale on mlx, " : "scale on reference, cpu, mode eager\n"), 0U);
  EXPECT_EQ(expect_done("INGOT_ENGINE=Reference " + line).find("scale on reference, cpu, mode eager\n"), 0U);
  expect_refused("INGOT_ENGINE=warp " + line, 2, "error: INGOT_ENGINE: there is no engine 'warp'");
  const std::string on_reference = "INGOT_ENGINE=reference ";
  expect_refused("INGOT_MODE=fast " + on_reference + line, 2, "INGOT_MODE: there is no mode of reference 'fast'");
  expect_refused("INGOT_DEVICE=npu " + on_reference + line, 2, "INGOT_DEVICE: there is no device of reference 'npu'");
  expect_refused("INGOT_THREADS=all " + line, 2, "error: INGOT_THREADS is 'all', expected a number from 1 on");
  expect_done("INGOT_ENGINE=warp INGOT_MODE=fast INGOT_DEVICE=npu " + line +
              " --engine reference --mode eager --device cpu");
  for (const std::string variable : {"INGOT_ENGINE", "INGOT_DEVICE", "INGOT_MODE", "INGOT_THREADS"}) {
    expect_refused(variable + "= " + line, 2, "error: " + variable + " is empty: unset it for the default");
  }
  if (!has_mlx()) GTEST_SKIP() << "this build has no second engine";
  EXPECT_EQ(
      expect_done("INGOT_ENGINE=mlx INGOT_DEVICE=cpu INGOT_MODE=lazy " + line).find("scale on mlx, cpu, mode lazy\n"),
      0U);
  EXPECT_EQ(expect_done("INGOT_ENGINE=mlx INGOT_DEVICE=cpu " + line).find("scale on mlx, cpu, mode compiled\n"), 0U);
  EXPECT_EQ(expect_done("INGOT_ENGINE=mlx " + line + " --engine reference").find("scale on reference, "), 0U);
}

TEST_F(Tool, DiffWorksAcrossEnginesAndModes) {
  if (!has_mlx()) GTEST_SKIP() << "this build has no second engine";
  const std::string line = "ingot diff scale.txt --random --size S=3 ";
  for (const std::string against : {"mlx", "mlx:eager", "mlx:lazy", "mlx:compiled", "reference:eager"}) {
    EXPECT_EQ(expect_done(line + "--against " + against), "0 of 5 values differ\n") << against;
    EXPECT_EQ(expect_done(line + "--engine mlx --mode lazy --against " + against), "0 of 5 values differ\n") << against;
  }
  expect_refused(line + "--against mlx:fast", 2, "there is no mode of mlx 'fast', expected compiled or eager or lazy");
}

TEST_F(Tool, RunMeansTheSameOnEveryEngineAndMode) {
  if (!has_mlx()) GTEST_SKIP() << "this build has no second engine";
  const std::string line = "ingot run scale.txt -i 'x=2x2xf32=1 2 3 4' --repeat 3 ";
  const std::string expected = "y: f32[2, 2]\n  10.0 200.0\n  30.0 400.0\ncalls: i64[]\n  3\n";
  for (const std::string mode : {"eager", "lazy", "compiled"}) {
    EXPECT_EQ(expect_done(line + "--engine mlx --mode " + mode), expected) << mode;
    EXPECT_EQ(expect_done(line + "--engine mlx --warmup 5 --threads 2 --sessions 4 --mode " + mode), expected) << mode;
  }
}

}  // namespace
}  // namespace ingot::test
