// Lowerings: what every op is in MLX.
//
// The lowering of an op is a function `emit(const op::X&, Frame&)` in engines/mlx/ops/<family>.cpp, in the order of the
// schema, that returns the result as an array, or a vector of arrays where there are several.
// INGOT_LOWERINGS(family) at the end of that file binds them, so an op without one does not compile. In front of it may
// stand, where they differ from the default below:
//
//   INGOT_EXPANDED(X)                                      X has no emit: its decomposition runs
//   bool is_native(const op::X&, const Graph&)             whether this one is emitted; else its decomposition runs
//   bool reads_values(const op::X&)                        emit calls Frame::read or Frame::call
//   std::string remark(const op::X&, const Graph&, bool cpu)   for explain: why it does not run on the device
//
// Every array goes to MLX in the dtype that the op computes in: MLX's own promotion differs from ours. Results have dtype
// and shape that inference says; Frame checks it.
//
// Threads    as Frame.
// Failure    Error for what sizes decide; guards for what values decide. Nothing reaches MLX that it would not check:
//            indices are clamped, integer divisors guarded, empty tensors kept away from what cannot take them.
#pragma once

#include <string>
#include <vector>

#include "engines/mlx/custom.h"
#include "engines/mlx/frame.h"
#include "gen/families.h"
#include "program/bind.h"

namespace ingot::mlx_engine {

// Defined for every op by INGOT_LOWERINGS.
template <class O>
struct Lowering {
  static std::vector<array> run(const O& op, Frame& frame);
  static bool native(const O& op, const Graph& graph);
  static bool reads(const O& op);
  static std::string about(const O& op, const Graph& graph, bool cpu);
};

// Whether the op is emitted, and not its decomposition.
bool native(const Op& op, const Graph& graph);
// Whether lowering it reads values, which ends what can be traced.
bool reads(const Op& op, const HostOps& host);
// Empty where there is nothing to say.
std::string about(const Op& op, const Graph& graph, const HostOps& host, bool cpu);

template <class O>
bool is_native(const O&, const Graph&) {
  return true;
}
template <class O>
bool reads_values(const O&) {
  return false;
}
template <class O>
std::string remark(const O&, const Graph&, bool) {
  return {};
}

inline std::vector<array> as_results(array one) { return {std::move(one)}; }
inline std::vector<array> as_results(std::vector<array> several) { return several; }

#define INGOT_EXPANDED(O)                                      \
  bool is_native(const op::O&, const Graph&) { return false; } \
  std::vector<array> emit(const op::O&, Frame&) { throw std::logic_error(#O); }

#define INGOT_BIND_LOWERING(O)                                                                         \
  template <>                                                                                          \
  std::vector<array> Lowering<op::O>::run(const op::O& each, Frame& frame) {                           \
    INGOT_CALL(O, std::vector<array>, as_results(emit(op, frame)), "emit(const op::" #O "&, Frame&)"); \
  }                                                                                                    \
  template <>                                                                                          \
  bool Lowering<op::O>::native(const op::O& op, const Graph& graph) {                                  \
    return is_native(op, graph);                                                                       \
  }                                                                                                    \
  template <>                                                                                          \
  bool Lowering<op::O>::reads(const op::O& op) {                                                       \
    return reads_values(op);                                                                           \
  }                                                                                                    \
  template <>                                                                                          \
  std::string Lowering<op::O>::about(const op::O& op, const Graph& graph, bool cpu) {                  \
    return remark(op, graph, cpu);                                                                     \
  }
#define INGOT_LOWERINGS(family) INGOT_OPS_OF_##family(INGOT_BIND_LOWERING)

}  // namespace ingot::mlx_engine
