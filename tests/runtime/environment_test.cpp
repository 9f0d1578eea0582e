// The default engine, and what the environment asks for.
#include "runtime/environment.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/runtime/support.h"

namespace ingot::test {
namespace {

constexpr const char* identity = R"(
method forward(%x: f32[2]) -> (x) {
  return %x
}
)";

// A variable of this process, for one test.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Variable() { unsetenv(name_); }

 private:
  const char* name_;
};

Program program() { return parse(std::string("ingot 1\n") + identity); }
bool has_mlx() { return engines().size() > 1; }
std::string all_engines() { return has_mlx() ? "mlx or reference" : "reference"; }

TEST(Environment, TheDefaultEngineIsTheFastest) {
  const char* fastest = has_mlx() ? "mlx" : "reference";
  EXPECT_EQ(compile(program()).engine(), fastest);
  EXPECT_EQ(compile(program(), {}).engine(), fastest);
  EXPECT_EQ(compile(program(), {.engine = "reference"}).engine(), "reference");
}

TEST(Environment, DecidesWhereTheCodeLeavesItOpen) {
  const Variable engine("INGOT_ENGINE", "Reference"), device("INGOT_DEVICE", "CPU"), mode("INGOT_MODE", "eageR");
  const Variable threads("INGOT_THREADS", "2");
  const Executable executable = compile(program());
  EXPECT_EQ(executable.engine(), "reference");
  EXPECT_EQ(executable.device(), "cpu");
  EXPECT_EQ(executable.mode(), "eager");
  EXPECT_EQ(options_from_environment().threads, 2);
  EXPECT_EQ(options_from_environment({.threads = 5}).threads, 5);
  if (!has_mlx()) return;
  EXPECT_EQ(compile(program(), {}).engine(), "mlx");  // options of the code are taken as they are
  const CompileOptions mixed = options_from_environment({.engine = "mlx"});
  EXPECT_EQ(mixed.engine, "mlx");
  EXPECT_EQ(mixed.mode, "eager");
}

TEST(Environment, RefusesNamesThatDoNotExist) {
  {
    const Variable engine("INGOT_ENGINE", "refrence");
    EXPECT_EQ(message_of([] { compile(program()); }, Code::not_found),
              "INGOT_ENGINE: there is no engine 'refrence', expected " + all_engines() + ", did you mean 'reference'?");
  }
  const Variable engine("INGOT_ENGINE", "reference");
  {
    const Variable device("INGOT_DEVICE", "cuda");
    EXPECT_EQ(message_of([] { compile(program()); }, Code::not_found),
              "INGOT_DEVICE: there is no device of reference 'cuda', expected cpu");
  }
  const Variable mode("INGOT_MODE", "fast");
  EXPECT_EQ(message_of([] { compile(program()); }, Code::not_found),
            "INGOT_MODE: there is no mode of reference 'fast', expected eager");
}

TEST(Environment, RefusesEmptyValuesAndNumbersThatAreNone) {
  for (const char* name : {"INGOT_ENGINE", "INGOT_DEVICE", "INGOT_MODE", "INGOT_THREADS"}) {
    const Variable empty(name, "");
    EXPECT_EQ(message_of([] { compile(program()); }, Code::invalid_argument),
              std::string(name) + " is empty: unset it for the default");
  }
  for (const char* value : {"two", "0", "-1", "2.5", "99999999999", " 2"}) {
    const Variable threads("INGOT_THREADS", value);
    EXPECT_EQ(message_of([] { compile(program()); }, Code::invalid_argument),
              "INGOT_THREADS is '" + std::string(value) + "', expected a number from 1 on");
  }
  EXPECT_EQ(message_of([] { compile(program(), {.threads = -1}); }, Code::invalid_argument),
            "threads is -1, expected 0 or more");
}

}  // namespace
}  // namespace ingot::test
