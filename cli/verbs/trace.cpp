#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <string>

#include "cli/call.h"
#include "cli/flags.h"
#include "cli/json.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "gen/build_facts.h"
#include "runtime/arguments.h"
#include "runtime/cost.h"

namespace ingot::cli {
namespace {

struct Options {
  CallOptions call;
  std::string output;
};

using Clock = std::chrono::steady_clock;

double microseconds(Clock::duration time) { return std::chrono::duration<double, std::micro>(time).count(); }

// The shape with the sizes of the call, where they are known.
std::string shape_text(const TensorType& type, const Bindings& bindings) {
  const std::optional<Sizes> sizes = known_sizes(type.shape, bindings);
  return to_string(sizes ? Shape(sizes->begin(), sizes->end()) : type.shape);
}

// Nodes as complete events of the Chrome trace format, which Perfetto reads. Those of a graph that a node runs lie within
// it in time, and are shown below it; bytes and FLOPs are theirs alone, so that sums over spans count each once.
class Spans {
 public:
  explicit Spans(const Program& program) : program_(program) {}

  void add(const NodeRun& run) {
    nlohmann::ordered_json args = {{"node", place_of(run.graph, run.node)}};
    if (run.node.result_count > 0) {
      const TensorType& type = run.graph.type(run.node.first_result);
      args["shape"] = shape_text(type, run.bindings);
      args["dtype"] = to_string(type.dtype);
    }
    if (const auto cost = cost_of(program_, run.graph, run.node, run.bindings)) {
      args["bytes"] = cost->read + cost->written;
      if (cost->flops) args["flops"] = *cost->flops;
    }
    const std::lock_guard lock(mutex_);
    events_.push_back({{"name", mnemonic(run.node.op)},
                       {"cat", run.graph.name},
                       {"ph", "X"},
                       {"ts", microseconds(run.start - begin_)},
                       {"dur", microseconds(run.end - run.start)},
                       {"pid", 1},
                       {"tid", 1},
                       {"args", std::move(args)}});
  }

  std::string text(const Executable& executable) const {
    const nlohmann::ordered_json trace = {
        {"traceEvents", events_},
        {"displayTimeUnit", "ns"},
        {"otherData", {{"engine", executable.engine()}, {"device", executable.device()}, {"ingot", build::version}}}};
    return json_text(trace);
  }

 private:
  const Program& program_;
  Clock::time_point begin_ = Clock::now();
  std::mutex mutex_;
  nlohmann::ordered_json events_ = nlohmann::ordered_json::array();
};

int trace(const Options& options) {
  CompileOptions compile_with = compile_options(options.call);
  if (!compile_with.mode.empty() && compile_with.mode != "eager") {
    throw WrongUsage{fmt::format("{} is {}, expected eager, in which every op has a time of its own",
                                 options.call.mode.empty() ? "INGOT_MODE" : "--mode", compile_with.mode)};
  }
  const Program program = open_for_call(options.call);
  Spans spans(program);
  compile_with.mode = "eager";
  compile_with.observer = [&](const NodeRun& run) { spans.add(run); };
  const Executable executable = compile_for(program, compile_with);
  const std::vector<NamedTensor> inputs = read_inputs(options.call, context_of(options.call, executable));
  Session session(executable);
  call(session, inputs, options.call.method);
  write_text(options.output, spans.text(executable));
  return kDone;
}

}  // namespace

Verb add_trace(CLI::App& root) {
  auto o = std::make_shared<Options>();
  CLI::App* app = root.add_subcommand("trace", "Run a method once and write how long every op took.");
  add_call_options(*app, o->call);
  app->add_option("-o,--output", o->output, "a JSON file that Perfetto and chrome://tracing open; -: standard output")
      ->required()
      ->check(check_path);
  app->footer(
      "Spans have the bytes and FLOPs of their op. Those of control flow have none, for the ops that it ran, which "
      "lie\n"
      "within it: a sum over spans counts each once.");
  return {app, [o] { return trace(*o); }};
}

}  // namespace ingot::cli
