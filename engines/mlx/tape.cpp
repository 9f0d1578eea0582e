#include "engines/mlx/tape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mlx/compile_impl.h>
#include <mlx/primitives.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <typeindex>
#include <typeinfo>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "engines/mlx/in_order.h"

namespace ingot::mlx_engine {
namespace {

// Constants that a tape may hold; what is larger is computed by every call.
constexpr size_t most_constant_bytes = size_t{16} << 20;

// mlx::compile on a GPU, for the fusion alone: its cache forgets the function at once. Outputs that nothing computes stay
// as they are: where two of them are equal numbers MLX would lose one.
void fuse(const Tape::Function& function, const std::vector<array>& inputs, std::vector<array>& outputs) {
  static std::atomic<std::uintptr_t> next_id = 1;
  struct Entry {
    std::uintptr_t id = next_id++;
    ~Entry() { mx::detail::compile_erase(mx::detail::compile_cache(), id); }
  };
  const Entry entry;
  const auto computed = [&function](const std::vector<array>& placeholders) {
    std::vector<array> results = function(placeholders);
    std::erase_if(results, [](const array& result) { return !result.has_primitive(); });
    return results;
  };
  const std::vector<array> results = mx::detail::compile(computed, entry.id)(inputs);
  auto next = results.begin();
  for (array& output : outputs) {
    if (output.has_primitive()) output = *next++;
  }
}

// Of a constant that is small and lies in memory of the host: its type, then its bytes. Empty for others.
std::string contents_of(const array& constant) {
  constexpr size_t most_bytes = 4096;
  const bool readable = constant.data_shared_ptr() && constant.size() > 0 && constant.flags().row_contiguous;
  if (!readable || constant.nbytes() > most_bytes) return {};
  std::string contents =
      fmt::format("{} {}:", static_cast<int>(constant.dtype().val()), fmt::join(constant.shape(), ","));
  return contents.append(constant.data<char>(), constant.nbytes());
}

// MLX does not export the classes of its primitives: they are known by samples. Names would not do, since a custom op may
// have primitives of any name.
struct Kinds {
  std::vector<std::type_index> reshapes;
  std::type_index transpose;

  explicit Kinds(mx::Stream s) : transpose(kind(mx::transpose(sample(), {0, 2, 1}, s))) {
    const array x = sample();
    for (const array& y : {mx::reshape(x, {6}, s), mx::flatten(x, 0, 1, s), mx::unflatten(x, 2, {3, 1}, s),
                           mx::expand_dims(x, 0, s), mx::squeeze(x, 0, s)}) {
      reshapes.push_back(kind(y));
    }
  }

 private:
  static array sample() { return array(mx::Shape{1, 2, 3}, mx::float32, nullptr, std::vector<array>{}); }
  static std::type_index kind(const array& a) {
    const mx::Primitive& primitive = a.primitive();
    return typeid(primitive);
  }
};

// Whether a primitive's result has the elements of its operand in the same order, in another shape. A step of a decoder
// transposes axes of one element only.
bool keeps_order(mx::Primitive& primitive, const mx::Shape& result) {
  static const Kinds kinds(primitive.stream());
  const std::type_index kind = typeid(primitive);
  if (kind != kinds.transpose) return std::ranges::find(kinds.reshapes, kind) != kinds.reshapes.end();
  std::vector<int> moved;
  const std::vector<int> axes = static_cast<mx::Transpose&>(primitive).state();
  for (size_t i = 0; i < axes.size(); ++i) {
    if (result[i] != 1) moved.push_back(axes[i]);
  }
  return std::ranges::is_sorted(moved);
}

std::shared_ptr<mx::Primitive> reshape(const mx::Shape& from, const mx::Shape& to, mx::Dtype dtype, mx::Stream s) {
  return mx::reshape(array(from, dtype, nullptr, std::vector<array>{}), to, s).primitive_ptr();
}

size_t bytes_of(const std::vector<mx::Shape>& shapes, const std::vector<mx::Dtype>& dtypes) {
  size_t bytes = 0;
  for (size_t i = 0; i < shapes.size(); ++i) {
    bytes += std::accumulate(shapes[i].begin(), shapes[i].end(), size_t{dtypes[i].size()}, std::multiplies<size_t>());
  }
  return bytes;
}

}  // namespace

Tape::Tape(const Function& function, const std::vector<array>& like, const Device& device) {
  std::vector<array> inputs;
  for (const array& a : like) {
    inputs.emplace_back(a.shape(), a.dtype(), nullptr, std::vector<array>{});
    inputs.back().set_tracer(true);
  }
  record(inputs, function(inputs));
  join_reshapes(inputs);
  merge();
  fold();
  std::vector<array> outputs = replay(inputs);
  if (is_fusible(inputs, device)) {
    fuse([this](const std::vector<array>& placeholders) { return replay(placeholders); }, inputs, outputs);
  }
  record(inputs, outputs);  // without the steps that nothing reads any more
  mark_last_uses();
}

// MLX's fused kernels cannot be launched on nothing, and what a program for the GPU has on the CPU, f64 above all, would
// be compiled there. Numbers become part of their text, complex ones with too few digits, and NaN not at all; the
// modulus of complex ones is text that does not compile.
bool Tape::is_fusible(const std::vector<array>& inputs, const Device& device) const {
  const auto is_empty = [](const mx::Shape& shape) { return std::ranges::count(shape, 0) > 0; };
  const auto is_fit = [&](const Step& step) {
    return step.primitive->device() == device.stream().device && std::ranges::none_of(step.shapes, is_empty) &&
           std::ranges::find(step.dtypes, mx::complex64) == step.dtypes.end();
  };
  const auto is_complex = [](const array& a) { return a.dtype() == mx::complex64; };
  return !device.is_cpu() && !steps_.empty() && std::ranges::all_of(steps_, is_fit) &&
         std::ranges::none_of(inputs, is_complex) && std::ranges::none_of(constants_, is_complex);
}

void Tape::record(const std::vector<array>& inputs, const std::vector<array>& outputs) {
  constants_.clear(), steps_.clear(), outputs_.clear();
  input_count_ = inputs.size();
  InOrder visited(inputs);
  for (const array& output : outputs) visited.visit(output);
  std::unordered_map<std::uintptr_t, Slot> slots;
  for (const array& input : inputs) slots.emplace(input.id(), static_cast<Slot>(slots.size()));
  for (const array& a : visited.order) {
    if (a.has_primitive()) continue;
    slots.emplace(a.id(), static_cast<Slot>(input_count_ + constants_.size()));
    constants_.push_back(a);
  }
  auto next = static_cast<Slot>(input_count_ + constants_.size());
  for (const array& a : visited.order) {
    if (!a.has_primitive()) continue;
    Step step{a.primitive_ptr(), {}, {}, {}};
    for (const array& input : a.inputs()) step.inputs.push_back({slots.at(input.id()), false});
    for (const array& result : a.outputs()) {
      step.shapes.push_back(result.shape());
      step.dtypes.push_back(result.dtype());
      slots.emplace(result.id(), next++);
    }
    steps_.push_back(std::move(step));
  }
  for (const array& output : outputs) outputs_.push_back({slots.at(output.id()), false});
}

template <class F>
void Tape::for_each_use(F function) {
  for (Step& step : steps_) std::ranges::for_each(step.inputs, function);
  std::ranges::for_each(outputs_, function);
}

bool Tape::Step::equals(const Step& other) const {
  mx::Primitive &a = *primitive, &b = *other.primitive;
  return typeid(a) == typeid(b) && shapes == other.shapes && dtypes == other.dtypes && a.stream() == b.stream() &&
         a.is_equivalent(b);
}

// A reshape of a reshape becomes one, and none where that gives the first shape again. Steps that nothing reads any more
// stay.
void Tape::join_reshapes(const std::vector<array>& inputs) {
  std::vector<mx::Shape> shapes;  // by slot
  for (const array& a : inputs) shapes.push_back(a.shape());
  for (const array& a : constants_) shapes.push_back(a.shape());
  std::vector<Slot> moved(shapes.size());
  std::iota(moved.begin(), moved.end(), Slot{0});
  std::unordered_map<Slot, Slot> source;  // of reshapes
  for (Step& step : steps_) {
    const auto slot = static_cast<Slot>(shapes.size());
    for (Use& use : step.inputs) use.slot = moved[use.slot];
    for (const mx::Shape& shape : step.shapes) {
      moved.push_back(static_cast<Slot>(shapes.size()));
      shapes.push_back(shape);
    }
    if (!keeps_order(*step.primitive, step.shapes[0])) continue;
    Slot& from = step.inputs[0].slot;
    if (const auto found = source.find(from); found != source.end()) {
      from = found->second;
      if (shapes[from] == shapes[slot]) {
        moved[slot] = from;
      } else {
        step.primitive = reshape(shapes[from], shapes[slot], step.dtypes[0], step.primitive->stream());
      }
    }
    source.emplace(slot, from);
  }
  for (Use& use : outputs_) use.slot = moved[use.slot];
}

// Steps that compute the same from the same are one, as are small constants that are equal: layers lower the same
// positions, masks and numbers again and again.
void Tape::merge() {
  std::vector<Slot> moved(input_count_);
  std::iota(moved.begin(), moved.end(), Slot{0});
  std::map<std::string, Slot> by_contents;
  for (const array& constant : constants_) {
    const auto slot = static_cast<Slot>(moved.size());
    const std::string contents = contents_of(constant);
    moved.push_back(contents.empty() ? slot : by_contents.emplace(contents, slot).first->second);
  }
  struct Made {
    size_t step;
    Slot first;
  };
  std::map<std::vector<Slot>, std::vector<Made>> by_inputs;
  std::vector<Step> rest;
  auto next = static_cast<Slot>(moved.size());
  for (Step& step : steps_) {
    std::vector<Slot> inputs;
    for (Use& use : step.inputs) inputs.push_back(use.slot = moved[use.slot]);
    std::vector<Made>& alike = by_inputs[inputs];
    const auto same = std::ranges::find_if(alike, [&](const Made& made) { return rest[made.step].equals(step); });
    const Slot first = same == alike.end() ? next : same->first;
    for (size_t i = 0; i < step.shapes.size(); ++i) moved.push_back(first + static_cast<Slot>(i));
    if (same != alike.end()) continue;
    alike.push_back({rest.size(), first});
    next += static_cast<Slot>(step.shapes.size());
    rest.push_back(std::move(step));
  }
  steps_ = std::move(rest);
  for (Use& use : outputs_) use.slot = moved[use.slot];
}

// What depends on no input is computed once: masks, tables of positions.
void Tape::fold() {
  std::vector<std::optional<array>> known(input_count_);  // by slot
  known.insert(known.end(), constants_.begin(), constants_.end());
  std::vector<Step> rest;
  std::vector<Slot> results;  // of the rest, as they were numbered
  size_t bytes = 0;
  for (Step& step : steps_) {
    const auto is_known = [&](const Use& use) { return known[use.slot].has_value(); };
    const size_t made = bytes_of(step.shapes, step.dtypes);
    if (std::ranges::all_of(step.inputs, is_known) && bytes + made <= most_constant_bytes) {
      bytes += made;
      std::vector<array> inputs;
      for (const Use& use : step.inputs) inputs.push_back(*known[use.slot]);
      for (const array& a : array::make_arrays(step.shapes, step.dtypes, step.primitive, inputs)) known.emplace_back(a);
    } else {
      for (size_t i = 0; i < step.shapes.size(); ++i) {
        results.push_back(static_cast<Slot>(known.size()));
        known.emplace_back();
      }
      rest.push_back(std::move(step));
    }
  }
  steps_ = std::move(rest);

  // Slots anew, since only the constants that something still reads are kept.
  std::vector<Slot> moved(known.size());
  for (Slot slot = 0; slot < input_count_; ++slot) moved[slot] = slot;
  std::vector<bool> kept(known.size(), false);
  constants_.clear();
  for_each_use([&](Use& use) {
    if (!known[use.slot] || kept[use.slot]) return;
    kept[use.slot] = true;
    moved[use.slot] = static_cast<Slot>(input_count_ + constants_.size());
    array& constant = *known[use.slot];
    // Where it is computed: a GPU cannot even copy f64. What is empty may have no memory that could be shared.
    if (constant.has_primitive() && constant.size() > 0) {
      constant = mx::contiguous(constant, false, constant.primitive().stream());
    }
    constants_.push_back(constant);
  });
  for (size_t i = 0; i < results.size(); ++i) {
    moved[results[i]] = static_cast<Slot>(input_count_ + constants_.size() + i);
  }
  for_each_use([&](Use& use) { use.slot = moved[use.slot]; });
  mx::eval(constants_);
}

void Tape::mark_last_uses() {
  std::unordered_set<Slot> read;
  for (auto output = outputs_.rbegin(); output != outputs_.rend(); ++output)
    output->last = read.insert(output->slot).second;
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    for (auto use = step->inputs.rbegin(); use != step->inputs.rend(); ++use) use->last = read.insert(use->slot).second;
  }
}

std::vector<array> Tape::replay(std::vector<array> inputs) const {
  std::vector<array> outputs;
  replay(inputs, outputs);
  return outputs;
}

void Tape::replay(std::vector<array>& slots, std::vector<array>& outputs) const {
  size_t count = slots.size() + constants_.size();
  for (const Step& step : steps_) count += step.shapes.size();
  slots.reserve(count);
  slots.insert(slots.end(), constants_.begin(), constants_.end());
  const auto take = [&](const Use& use) { return use.last ? std::move(slots[use.slot]) : slots[use.slot]; };
  for (const Step& step : steps_) {
    std::vector<array> operands;
    operands.reserve(step.inputs.size());
    for (const Use& use : step.inputs) operands.push_back(take(use));
    if (step.shapes.size() == 1) {
      slots.emplace_back(step.shapes[0], step.dtypes[0], step.primitive, std::move(operands));
    } else {
      for (array& a : mx::array::make_arrays(step.shapes, step.dtypes, step.primitive, operands)) {
        slots.push_back(std::move(a));
      }
    }
  }
  outputs.clear();
  for (const Use& output : outputs_) outputs.push_back(take(output));
  slots.clear();
}

}  // namespace ingot::mlx_engine
