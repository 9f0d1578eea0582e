// Cases that every engine is held to: programs with inputs, and the outputs that NumPy gives for them.
//
// tests/data/reference/<family>.json is a list of cases, made by tests/reference/cases.py from make_<family>.py;
// values_test.cpp runs every such file.
//
//   {"name": "softmax f16",
//    "program": "ingot 1\nmethod main(%x: f16[3]) -> (y) {\n  %y = softmax %x\n  return %y\n}\n",
//    "calls": [{"inputs": {"x": "f16[3] = [1.0, nan, -inf]"},
//               "outputs": {"y": "f16[3] = [nan, nan, nan]"}}]}
//
// A tensor is what a weight declaration says behind the colon: type, `=`, a list or hex"…". The calls of a case share
// its states, in order. A call has `inputs`, all outputs of the method under `outputs` or the whole text of the refusal
// under `error`, and where they differ from the default:
//   "method"     "main"
//   "ulps"       1: how far a real may be from its expected value, in steps of its dtype; 0 where the expected value is
//                an infinity or a NaN. Everything else is compared bit by bit, the sign of a zero included.
//   "atol"       0: a real may also be this far away; for sums that cancel
//   "steps", "bytes"   RunLimits
//   "states"     contents after the call, by name
//
// Every case runs twice, on results that begin as garbage.
//
// Ownership  values. Threads  none involved.
// Failure    what the file gets wrong throws; what the engine gets wrong is the problem of its case.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/session.h"
#include "tests/support/target.h"

namespace ingot::test {

using Tensors = std::map<std::string, Tensor, std::less<>>;

// `f32[2] = [1.0, nan]`
Tensor tensor_of(std::string_view text);

// A program on an engine, with the states of one session.
class Machine {
 public:
  explicit Machine(std::string_view text, Target target = {});

  // The states as they were at first.
  void reset() { session_.reset(); }
  // Commits the states unless it throws.
  Tensors call(std::string_view method, const Tensors& inputs, const RunLimits& limits = {});
  Tensor state(std::string_view name) const { return session_.state(name); }
  const Program& program() const { return program_; }
  const Target& target() const { return target_; }

 private:
  Target target_;
  Program program_;
  Session session_;
};

// One sentence about the first element that differs; empty when there is none.
std::string difference(const Tensor& actual, const Tensor& expected, const Closeness& closeness = {});

// Those of tests/data/reference, in order.
std::vector<std::string> case_families();

struct CaseResult {
  std::string name;
  Program program;
  std::string problem;    // a sentence; empty when it passed
  std::string departure;  // why it may fail on this target; empty where it may not
  // The problem is that the target's device, which is not the CPU, lacks what the program needs.
  bool unsupported = false;
};

// One of several processes that share the cases.
struct Shard {
  size_t index = 0, count = 1;
};

// Every case of tests/data/reference/<family>.json whose name holds `part`.
std::vector<CaseResult> run_cases(std::string_view family, const Target& target = {}, std::string_view part = {},
                                  Shard shard = {});

}  // namespace ingot::test
