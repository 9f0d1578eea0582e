#include "engines/mlx/working_space.h"

#include <mlx/primitives.h>

#include <algorithm>
#include <string_view>
#include <typeindex>
#include <unordered_map>

#include "engines/mlx/blas.h"
#include "engines/mlx/in_order.h"

namespace ingot::mlx_engine {
namespace {

// ------------------------------------------------------------------------------------------------------- primitives

// Results in the memory of the first input; of the reshapes only where that is dense.
constexpr std::string_view kReshapes[] = {"Contiguous", "Flatten", "Reshape", "Unflatten", "View"};
constexpr std::string_view kDenseViews[] = {"Copy",       "CustomTransforms", "Depends",
                                            "ExpandDims", "Squeeze",          "StopGradient"};
constexpr std::string_view kOtherViews[] = {"AsStrided", "Broadcast", "BroadcastAxes", "Slice", "Split", "Transpose"};
// Kernels of the CPU that copy what is not dense, or what they compute in place.
constexpr std::string_view kCopyViews[] = {"AddMM",  "GatherMM",        "GatherQMM", "LogSumExp",
                                           "Matmul", "QuantizedMatmul", "Scan",      "Softmax"};
constexpr std::string_view kCopyAll[] = {"Cholesky", "Eig", "Eigh", "Inverse", "LUF", "QRF", "SVD"};

bool is_one_of(std::string_view name, const auto& names) { return std::ranges::find(names, name) != std::end(names); }

std::string_view name_of(const array& a) { return a.has_primitive() ? a.primitive().name() : std::string_view(); }

int64_t bytes_of(const array& a) { return static_cast<int64_t>(a.nbytes()); }

// MLX does not export the class: it is known by a sample.
bool is_convolution(mx::Primitive& primitive) {
  static const std::type_index kind = [&] {
    const array x(mx::Shape{1, 1, 1}, mx::float32, nullptr, std::vector<array>{});
    const array sample = mx::conv_general(x, x, {1}, {0}, {0}, {1}, {1}, 1, false, primitive.stream());
    const mx::Primitive& of_sample = sample.primitive();
    return std::type_index(typeid(of_sample));
  }();
  return typeid(primitive) == kind;
}

// x is padded, and its windows are written side by side in f32, where nothing is dilated and channels are in one group,
// or there is one axis.
int64_t space_of_convolution(const array& y) {
  const auto [strides, before, behind, dilation, spread, groups, flip] =
      static_cast<mx::Convolution&>(y.primitive()).state();
  const array& x = y.inputs()[0];
  const array& w = y.inputs()[1];
  const auto is_one = [](int value) { return value == 1; };
  const bool is_plain = std::ranges::all_of(dilation, is_one) && std::ranges::all_of(spread, is_one);
  if (!is_plain || (groups != 1 && x.ndim() != 3)) return 0;
  int64_t padded = x.shape(0) * int64_t{x.shape(-1)}, windows = padded;
  for (size_t i = 0; i < strides.size(); ++i) {
    const int axis = static_cast<int>(i) + 1;
    padded *= x.shape(axis) + before[i] + behind[i];
    windows *= int64_t{y.shape(axis)} * w.shape(axis);
  }
  const int64_t narrow_results = y.dtype() == mx::float32 ? 0 : static_cast<int64_t>(y.size());
  return 4 * (padded + windows + static_cast<int64_t>(w.size()) + narrow_results);
}

// ----------------------------------------------------------------------------------------------------------- buffers

// The memory of the arrays of one graph.
class Buffers {
 public:
  explicit Buffers(const std::vector<array>& operands) {
    for (const array& operand : operands) places_[operand.id()] = {buffers_.size(), true};
    buffers_.push_back({0, 0});  // which others count
  }

  // Precondition: its inputs were added.
  void add(const array& a) {
    const std::string_view name = name_of(a);
    const bool of_dense = !name.empty() && !a.inputs().empty() && places_.at(a.inputs()[0].id()).is_dense;
    const bool is_dense_view = is_one_of(name, kDenseViews) || (is_one_of(name, kReshapes) && of_dense);
    const bool is_view = is_dense_view || is_one_of(name, kOtherViews);
    for (const array& output : a.outputs()) {
      places_[output.id()] = is_view ? Place{places_.at(a.inputs()[0].id()).buffer, is_dense_view && of_dense}
                                     : Place{buffers_.size(), true};
      if (!is_view) buffers_.push_back({bytes_of(output), 0});
    }
    for (const array& input : inputs_of(a)) ++of(input).readers;
  }
  void keep(const array& result) { ++of(result).readers; }

  // In the order in which they were added.
  void compute(const array& a) {
    for (const array& output : a.outputs()) {
      Buffer& buffer = of(output);
      if (!buffer.is_alive) alive_ += buffer.bytes;
      buffer.is_alive = true;
    }
    most_ = std::max(most_, alive_ + space_inside(a));
    for (const array& input : inputs_of(a)) {
      if (--of(input).readers == 0) alive_ -= of(input).bytes;
    }
  }
  int64_t most() const { return most_; }

 private:
  struct Buffer {
    int64_t bytes;
    size_t readers;
    bool is_alive = false;
  };
  struct Place {
    size_t buffer;
    bool is_dense;
  };

  static std::vector<array> inputs_of(const array& a) { return a.has_primitive() ? a.inputs() : std::vector<array>(); }
  Buffer& of(const array& a) { return buffers_[places_.at(a.id()).buffer]; }

  // What the kernel allocates beside its results.
  int64_t space_inside(const array& a) const {
    if (!a.has_primitive() || a.primitive().stream().device != mx::Device::cpu) return 0;
    if (is_convolution(a.primitive())) return space_of_convolution(a);
    const std::string_view name = name_of(a);
    const bool copies_all = is_one_of(name, kCopyAll);
    if (!copies_all && !is_one_of(name, kCopyViews)) return 0;
    int64_t bytes = 0;
    for (const array& input : a.inputs()) {
      if (copies_all || !places_.at(input.id()).is_dense) bytes += bytes_of(input);
    }
    return bytes;
  }

  std::vector<Buffer> buffers_;
  std::unordered_map<std::uintptr_t, Place> places_;
  int64_t alive_ = 0, most_ = 0;
};

void take_blas_buffer(const std::vector<array>& arrays) {
  if (has_blas_buffer()) return;
  for (const array& a : arrays) take_blas_buffer_for(a);
}

// Arrays in between have hardly more elements than there are pairs of an operand's and a result's: few small ones do not
// matter.
bool are_small(const std::vector<array>& operands, const std::vector<array>& results) {
  constexpr size_t few = 64;
  size_t elements = 0;
  for (const std::vector<array>* arrays : {&operands, &results}) {
    for (const array& each : *arrays) elements += each.size();
  }
  return elements <= few;
}

// Whether each result is one kernel's, of the operands: there is nothing between them. Only few operands are compared.
bool are_direct(const std::vector<array>& operands, const std::vector<array>& results) {
  constexpr size_t few = 16;
  if (operands.size() > few) return false;
  const auto is_operand = [&](const array& a) {
    return std::ranges::find(operands, a.id(), &array::id) != operands.end();
  };
  return std::ranges::all_of(results, [&](const array& result) {
    return !result.has_primitive() ||
           (!is_one_of(name_of(result), kCopyAll) && std::ranges::all_of(result.inputs(), is_operand));
  });
}

}  // namespace

Recorded recorded_between(const std::vector<array>& operands, const std::vector<array>& results) {
  if (are_direct(operands, results)) {
    take_blas_buffer(results);
    return {std::ssize(results), 0};
  }
  InOrder arrays(operands);
  for (const array& result : results) arrays.visit(result);
  take_blas_buffer(arrays.order);
  Recorded recorded{std::ssize(arrays.order), 0};
  if (are_small(operands, results)) return recorded;
  Buffers buffers(operands);
  for (const array& a : arrays.order) buffers.add(a);
  for (const array& result : results) buffers.keep(result);
  for (const array& a : arrays.order) buffers.compute(a);
  recorded.bytes = buffers.most();
  return recorded;
}

}  // namespace ingot::mlx_engine
