// Control flow: graphs run by graphs, in the order of the trips. Every trip of a loop is a step.
#include <cstring>
#include <iterator>
#include <utility>

#include "engines/reference/kernel.h"

namespace ingot::reference {
namespace {

using Tensors = std::vector<Tensor>;

Tensors joined(Tensors first, const Tensors& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

void set_results(Frame& frame, Tensors results) {
  for (uint32_t i = 0; i < results.size(); ++i) frame.set(i, std::move(results[i]));
}

bool is_true(const Tensor& predicate) { return view<bool>(predicate)[0]; }

// x[i], without a copy. Precondition: length slices, and elements of whole bytes.
Tensor slice(const Tensor& x, int64_t i, int64_t length) {
  const size_t bytes = x.bytes().size() / static_cast<size_t>(length);
  return Tensor(x.dtype(), Sizes(x.sizes().begin() + 1, x.sizes().end()),
                {x.buffer().owner, x.bytes().subspan(static_cast<size_t>(i) * bytes, bytes)});
}

void set_slice(Tensor& y, int64_t i, const Tensor& slice) {
  const size_t bytes = slice.bytes().size();
  if (bytes > 0) std::memcpy(y.mutable_bytes().data() + static_cast<size_t>(i) * bytes, slice.bytes().data(), bytes);
}

}  // namespace

static void kernel(const op::If& op, Frame& frame) {
  const bool condition = is_true(frame.tensor(op.condition));
  set_results(frame, frame.call(condition ? op.on_true : op.on_false, frame.tensors(op.captures)));
}

// The condition is not asked again after the last trip that max_trips allows.
static void kernel(const op::While& op, Frame& frame) {
  Tensors carry = frame.tensors(op.carry);
  const Tensors captures = frame.tensors(op.captures);
  for (int64_t trips = 0; !op.max_trips || trips < *op.max_trips; ++trips) {
    Tensors passed = joined(std::move(carry), captures);
    const bool again = is_true(frame.call(op.condition, passed)[0]);
    if (!again) {
      passed.resize(op.carry.size());
      carry = std::move(passed);
      break;
    }
    frame.spend(1);
    carry = frame.call(op.body, std::move(passed));
  }
  set_results(frame, std::move(carry));
}

// Slice i of xs makes slice i of ys, in whichever order.
static void kernel(const op::Scan& op, Frame& frame) {
  Tensors carry = frame.tensors(op.carry);
  const Tensors xs = frame.tensors(op.xs), captures = frame.tensors(op.captures);
  const int64_t length = frame.size(op.length);
  const auto carries = static_cast<uint32_t>(carry.size());
  std::vector<Tensor*> ys;
  for (uint32_t i = carries; i < frame.result_count(); ++i) ys.push_back(&frame.allocate_result(i));
  for (int64_t trip = 0; trip < length; ++trip) {
    const int64_t i = op.reverse ? length - 1 - trip : trip;
    frame.spend(1);
    Tensors passed = std::move(carry);
    for (const Tensor& x : xs) passed.push_back(slice(x, i, length));
    Tensors results = frame.call(op.body, joined(std::move(passed), captures));
    for (size_t y = 0; y < ys.size(); ++y) set_slice(*ys[y], i, results[carries + y]);
    results.resize(carries);
    carry = std::move(results);
  }
  set_results(frame, std::move(carry));
}

static void kernel(const op::Call& op, Frame& frame) {
  set_results(frame, frame.call(op.graph, frame.tensors(op.operands)));
}

INGOT_KERNELS(control)

}  // namespace ingot::reference
