#include "bench/mlx/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <utility>

#include "runtime/prepared.h"
#include "runtime/session.h"

namespace ingot::bench {
namespace {

using Clock = std::chrono::steady_clock;

// Of calls, in µs.
struct Times {
  std::vector<double> total, host;

  void add(Clock::time_point start, Clock::time_point handed_over, Clock::time_point end) {
    const auto since_start = [&](Clock::time_point t) { return std::chrono::duration<double, std::micro>(t - start); };
    host.push_back(since_start(handed_over).count());
    total.push_back(since_start(end).count());
  }
};

struct Summary {
  double min, median;

  explicit Summary(std::vector<double> times) {
    std::ranges::sort(times);
    min = times.front();
    median = times[times.size() / 2];
  }
};

// ---------------------------------------------------------------------------------------------------------- both sides

Executable compiled_for(const Program& program, const CompareOptions& options) {
  return compile(program, {.engine = "mlx", .device = options.device, .mode = "compiled"});
}

class Ours {
 public:
  Ours(const Network& network, const CompareOptions& options)
      : session_(compiled_for(network.program, options)), call_(session_.prepare()) {
    for (size_t i = 0; i < network.inputs.size(); ++i) call_.bind_input(i, network.inputs[i]);
  }

  void run() {
    const auto start = Clock::now();
    call_();
    const auto end = Clock::now();
    times.add(start, session_.handed_over(), end);
  }
  const Tensor& output() const { return call_.output(0); }

  Times times;

 private:
  Session session_;
  PreparedCall call_;
};

array upload(const Tensor& tensor) {
  mx::allocator::Data data = mx::allocator::malloc(tensor.bytes().size());
  std::memcpy(data.buffer().raw_ptr(), tensor.bytes().data(), tensor.bytes().size());
  const mx::Shape shape(tensor.sizes().begin(), tensor.sizes().end());
  return array(std::move(data), shape, tensor.dtype() == DType::i32 ? mx::int32 : mx::float32);
}

class Theirs {
 public:
  Theirs(Network& network, bool compile)
      : function_(compile ? mx::compile(network.by_hand) : network.by_hand),
        inputs_(network.inputs),
        arguments_(inputs_.size(), array(0)),
        states_(network.states.size()) {
    std::ranges::move(network.states, std::back_inserter(arguments_));
    std::ranges::move(network.weights, std::back_inserter(arguments_));
    network.states.clear();
    network.weights.clear();
  }

  void run() {
    const auto start = Clock::now();
    std::ranges::transform(inputs_, arguments_.begin(), upload);
    std::vector<array> results = function_(arguments_);
    // The old states are now of the graph alone, so MLX writes into their memory.
    for (size_t i = 0; i < states_; ++i) arguments_[inputs_.size() + i] = results[1 + i];
    mx::async_eval(results);
    const auto handed_over = Clock::now();
    array& output = results[0];
    output.wait();
    output_.resize(output.nbytes());
    std::memcpy(output_.data(), output.data<std::byte>(), output_.size());
    results.clear();  // on both sides a call frees what it has made
    times.add(start, handed_over, Clock::now());
  }

  // The largest difference to an output of ours.
  double difference(const Tensor& ours) const {
    if (ours.dtype() == DType::f32) return difference<float, float>(ours);
    return difference<int64_t, uint32_t>(ours);  // argmax
  }

  Times times;

 private:
  template <class Our, class Their>
  double difference(const Tensor& tensor) const {
    const auto ours = tensor.as<Our>();
    std::vector<Their> theirs(output_.size() / sizeof(Their));
    std::memcpy(theirs.data(), output_.data(), output_.size());
    if (ours.size() != theirs.size()) return INFINITY;
    double worst = 0;
    for (size_t i = 0; i < ours.size(); ++i) {
      worst = std::max(worst, std::abs(static_cast<double>(ours[i]) - static_cast<double>(theirs[i])));
    }
    return worst;
  }

  ByHand function_;
  std::vector<Tensor> inputs_;
  std::vector<array> arguments_;
  size_t states_;
  std::vector<std::byte> output_;
};

// Three cells.
void print_times(const std::vector<double>& ours, const std::vector<double>& theirs) {
  const Summary a(ours), b(theirs);
  fmt::print(" {:.1f} / {:.1f} µs | {:.1f} / {:.1f} µs | {:.3f} / {:.3f} |", a.min, a.median, b.min, b.median,
             a.min / b.min, a.median / b.median);
}

}  // namespace

void print_head() {
  fmt::print(
      "| case | Ingot min / median | by hand | ratio | Ingot, host alone | by hand, host alone | ratio | difference |\n"
      "|---|---|---|---|---|---|---|---|\n");
}

void compare(std::string_view name, Network network, const CompareOptions& options) {
  Ours ours(network, options);
  Theirs theirs(network, options.compile_by_hand);
  double worst = 0;
  bool ours_first = false;
  const auto run = [&](auto& side) {
    for (int i = 0; i < options.in_a_row; ++i) side.run();
  };
  const auto step = [&] {
    ours_first = !ours_first;  // the second finds caches and clocks as the first has left them
    if (ours_first) run(ours);
    run(theirs);
    if (!ours_first) run(ours);
    worst = std::max(worst, theirs.difference(ours.output()));
    if (network.next) network.next(ours.output());
  };
  for (int i = 0; i < 3; ++i) step();
  ours.times = theirs.times = {};
  for (int i = 0; i < options.calls; i += options.in_a_row) step();
  fmt::print("| {} |", name);
  print_times(ours.times.total, theirs.times.total);
  print_times(ours.times.host, theirs.times.host);
  fmt::print(" {:.1e} |\n", worst);
  std::fflush(stdout);  // a later case may take long
}

void change_parameter(const Network& network, const CompareOptions& options) {
  const std::vector<Weight>& weights = network.program.weights;
  const auto bytes = [](const Weight& weight) { return weight.tensor->bytes().size(); };
  const Weight& smallest = *std::ranges::min_element(weights, {}, bytes);
  Executable executable = compiled_for(network.program, options);
  Session session(executable);
  PreparedCall call = session.prepare();
  for (size_t i = 0; i < network.inputs.size(); ++i) call.bind_input(i, network.inputs[i]);
  const auto moved_by = [&](auto&& action) {
    const int64_t before = executable.counters().uploaded_bytes;
    action();
    return executable.counters().uploaded_bytes - before;
  };
  const int64_t whole = executable.counters().uploaded_bytes;
  const int64_t first_call = moved_by(call);
  const int64_t change = moved_by([&] { executable.set_param(smallest.name, *smallest.tensor); });
  const int64_t next_call = moved_by(call);
  fmt::print(
      "| case | bytes |\n|---|---|\n"
      "| compile: all {} weights and states | {} |\n| a call, before | {} |\n"
      "| set_param of {} numbers | {} |\n| a call, after | {} |\n",
      weights.size(), whole, first_call, smallest.tensor->elements(), change, next_call);
}

}  // namespace ingot::bench
