#include "import/onnx/symbolic.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

#include "import/onnx/symbolic_ops.h"

namespace ingot::onnx {

// Arithmetic with an expression takes about as long as so many steps of the reference engine.
constexpr uint64_t kStepsForDim = 4;

static std::optional<Symbolic> read_known(Node& node, size_t i) {
  const Value& value = node.value(i);
  if (const Var* var = value.var()) {
    const auto sizes = literal_sizes(var->shape());
    const bool integers = is_integer(var->dtype()) || var->dtype() == DType::bool_;
    if (!sizes || !integers || element_count(*sizes) > kMaxKnown) return std::nullopt;
    const auto contents = node.body().contents(*var);
    return contents ? known(*contents) : std::nullopt;
  }
  return known(value);
}

std::optional<Symbolic> known_input(Node& node, size_t i) {
  auto known = read_known(node, i);
  if (known) node.scope().context().meter.spend(kStepsForDim * known->elements.size());
  return known;
}

std::optional<std::vector<int64_t>> known_integers(Node& node, size_t i) {
  const auto input = known_input(node, i);
  if (!input) return std::nullopt;
  std::vector<int64_t> numbers;
  for (const Dim& element : input->elements) {
    if (!element.is_literal()) return std::nullopt;
    numbers.push_back(element.literal());
  }
  return numbers;
}

namespace {

// ---------------------------------------------------------------------------------------------------- element-wise

// The result of one element; none where it cannot be told.
using Binary = std::optional<Dim> (*)(const Dim& a, const Dim& b);

std::optional<Dim> truth(Proof proof) {
  return proof == Proof::unknown ? std::nullopt : std::optional(Dim(proof == Proof::yes ? 1 : 0));
}
Proof negated(Proof proof) {
  return proof == Proof::yes ? Proof::no : proof == Proof::no ? Proof::yes : Proof::unknown;
}

std::optional<Dim> add(const Dim& a, const Dim& b) { return a + b; }
std::optional<Dim> subtract(const Dim& a, const Dim& b) { return a - b; }
std::optional<Dim> multiply(const Dim& a, const Dim& b) { return a * b; }
std::optional<Dim> smaller(const Dim& a, const Dim& b) { return min(a, b); }
std::optional<Dim> larger(const Dim& a, const Dim& b) { return max(a, b); }
std::optional<Dim> equals(const Dim& a, const Dim& b) { return truth(equal(a, b)); }
std::optional<Dim> less(const Dim& a, const Dim& b) { return truth(negated(less_equal(b, a))); }
std::optional<Dim> less_or_equal(const Dim& a, const Dim& b) { return truth(less_equal(a, b)); }
std::optional<Dim> greater(const Dim& a, const Dim& b) { return less(b, a); }
std::optional<Dim> greater_or_equal(const Dim& a, const Dim& b) { return less_or_equal(b, a); }
std::optional<Dim> both(const Dim& a, const Dim& b) { return a * b; }
std::optional<Dim> either(const Dim& a, const Dim& b) { return max(a, b); }

// Towards zero: what is above -b gives 0. A divisor 0 has no meaning.
std::optional<Dim> divide(const Dim& a, const Dim& b) {
  if (a.is_literal() && b.is_literal()) {
    if (b.literal() == 0 || (b.literal() == -1 && a.literal() == std::numeric_limits<int64_t>::min()))
      return std::nullopt;
    return Dim(a.literal() / b.literal());
  }
  const Dim divisor = max(b, 1);
  if (less_equal(0, b) != Proof::yes || less_equal(1 - divisor, a) != Proof::yes) return std::nullopt;
  return floor_div(max(a, 0), divisor);
}

// With the sign of the divisor, which is above 0.
std::optional<Dim> modulo(const Dim& a, const Dim& b) {
  if (less_equal(0, b) != Proof::yes) return std::nullopt;
  return mod(a, max(b, 1));
}
// With the sign of a: the same where a has none.
std::optional<Dim> remainder(const Dim& a, const Dim& b) {
  return less_equal(0, a) == Proof::yes ? modulo(a, b) : std::nullopt;
}

// The position in a tensor of `sizes` that a position of the broadcast shape reads.
int64_t broadcast_position(int64_t at, const Sizes& out, const Sizes& sizes) {
  int64_t position = 0, stride = 1;
  for (size_t back = 1; back <= out.size(); ++back) {
    const int64_t index = at % out[out.size() - back];
    at /= out[out.size() - back];
    if (back > sizes.size()) continue;
    const int64_t size = sizes[sizes.size() - back];
    position += (size == 1 ? 0 : index) * stride;
    stride *= size;
  }
  return position;
}

std::optional<Sizes> broadcast_sizes(const Sizes& a, const Sizes& b) {
  Sizes out = a.size() >= b.size() ? a : b;
  const Sizes& other = a.size() >= b.size() ? b : a;
  for (size_t back = 1; back <= other.size(); ++back) {
    int64_t& size = out[out.size() - back];
    const int64_t with = other[other.size() - back];
    if (size == 1)
      size = with;
    else if (with != 1 && with != size)
      return std::nullopt;
  }
  return out;
}

std::optional<Symbolic> combine(const Symbolic& a, const Symbolic& b, DType dtype, Binary f) {
  const auto sizes = broadcast_sizes(a.sizes, b.sizes);
  if (!sizes || element_count(*sizes) > kMaxKnown) return std::nullopt;
  Symbolic out{dtype, *sizes, {}};
  for (int64_t i = 0; i < element_count(*sizes); ++i) {
    const auto at = [&](const Symbolic& x) {
      return x.elements[static_cast<size_t>(broadcast_position(i, *sizes, x.sizes))];
    };
    const auto element = f(at(a), at(b));
    if (!element) return std::nullopt;
    out.elements.push_back(*element);
  }
  return out;
}

// f over all inputs, one after the other.
Folded combine_all(Node& node, std::optional<DType> dtype, Binary f) {
  auto result = known_input(node, 0);
  for (size_t i = 1; result && i < node.input_count(); ++i) {
    const auto next = known_input(node, i);
    result = next ? combine(*result, *next, dtype.value_or(result->dtype), f) : std::nullopt;
  }
  if (!result) return std::nullopt;
  return std::vector{*result};
}

template <Binary f>
Folded arithmetic(Node& node) {
  return combine_all(node, {}, f);
}
// A table of bools is a mask and no size: as a comparison it says of which positions.
template <Binary f>
Folded comparison(Node& node) {
  Folded result = combine_all(node, DType::bool_, f);
  const bool table = result && result->front().sizes.size() >= 2 && result->front().elements.size() > 1;
  return table ? std::nullopt : result;
}

Folded fold_mod(Node& node) { return combine_all(node, {}, node.flag("fmod", false) ? remainder : modulo); }

template <class F>
Folded each(Node& node, F f) {
  auto x = known_input(node, 0);
  if (!x) return std::nullopt;
  for (Dim& element : x->elements) {
    const std::optional<Dim> result = f(element);
    if (!result) return std::nullopt;
    element = *result;
  }
  return std::vector{*x};
}

Folded fold_neg(Node& node) {
  return each(node, [](const Dim& x) { return std::optional(x * -1); });
}
Folded fold_abs(Node& node) {
  return each(node, [](const Dim& x) { return std::optional(max(x, x * -1)); });
}
Folded fold_not(Node& node) {
  return each(node, [](const Dim& x) { return std::optional(1 - x); });
}

// condition ? a : b, where the condition is known
Folded fold_where(Node& node) {
  const auto condition = known_input(node, 0), a = known_input(node, 1), b = known_input(node, 2);
  if (!condition || !a || !b) return std::nullopt;
  const auto all = broadcast_sizes(a->sizes, b->sizes);
  const auto sizes = all ? broadcast_sizes(*all, condition->sizes) : std::nullopt;
  if (!sizes || element_count(*sizes) > kMaxKnown) return std::nullopt;
  Symbolic out{a->dtype, *sizes, {}};
  for (int64_t i = 0; i < element_count(*sizes); ++i) {
    const auto at = [&](const Symbolic& x) {
      return x.elements[static_cast<size_t>(broadcast_position(i, *sizes, x.sizes))];
    };
    out.elements.push_back(at(*condition) == Dim(0) ? at(*b) : at(*a));
  }
  return std::vector{out};
}

Folded cast_to(std::optional<Symbolic> x, DType dtype) {
  if (!x || !(is_integer(dtype) || dtype == DType::bool_)) return std::nullopt;
  x->dtype = dtype;
  if (dtype != DType::bool_) return std::vector{*x};
  for (Dim& element : x->elements) {
    const auto zero = equals(element, 0);
    if (!zero) return std::nullopt;
    element = 1 - *zero;
  }
  return std::vector{*x};
}

Folded fold_cast(Node& node) {
  node.ignore("saturate", "for 8-bit floats alone");
  node.ignore("round_mode", "for 8-bit floats alone");
  const auto dtype = find_dtype(static_cast<int32_t>(node.integer("to")));
  return dtype ? cast_to(known_input(node, 0), *dtype) : std::nullopt;
}

Folded fold_cast_like(Node& node) {
  node.ignore("saturate", "for 8-bit floats alone");
  node.ignore("round_mode", "for 8-bit floats alone");
  return cast_to(known_input(node, 0), node.type(1).dtype);
}

// ------------------------------------------------------------------------------------------------------------ sizes

Folded fold_shape(Node& node) {
  const Shape shape = node.type(0).shape;
  const auto rank = static_cast<int64_t>(shape.size());
  const auto within = [&](int64_t at) { return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank); };
  const int64_t start = within(node.integer("start", 0)), end = std::max(start, within(node.integer("end", rank)));
  return std::vector{Symbolic{DType::i64, {end - start}, {shape.begin() + start, shape.begin() + end}}};
}

Folded fold_size(Node& node) { return std::vector{Symbolic{DType::i64, {}, {element_count(node.type(0).shape)}}}; }

// --------------------------------------------------------------------------------------------------------- dispatch

struct Row {
  std::string_view op;
  Folded (*fold)(Node& node);
};

constexpr Row rows[] = {
    {"Shape", fold_shape},
    {"Size", fold_size},
    {"Add", arithmetic<add>},
    {"Sub", arithmetic<subtract>},
    {"Mul", arithmetic<multiply>},
    {"Div", arithmetic<divide>},
    {"Mod", fold_mod},
    {"Min", arithmetic<smaller>},
    {"Max", arithmetic<larger>},
    {"Equal", comparison<equals>},
    {"Less", comparison<less>},
    {"LessOrEqual", comparison<less_or_equal>},
    {"Greater", comparison<greater>},
    {"GreaterOrEqual", comparison<greater_or_equal>},
    {"And", comparison<both>},
    {"Or", comparison<either>},
    {"Not", fold_not},
    {"Neg", fold_neg},
    {"Abs", fold_abs},
    {"Where", fold_where},
    {"Cast", fold_cast},
    {"CastLike", fold_cast_like},
    {"Gather", fold_gather},
    {"Concat", fold_concat},
    {"Slice", fold_slice},
    {"Split", fold_split},
    {"Squeeze", fold_squeeze},
    {"Unsqueeze", fold_unsqueeze},
    {"Reshape", fold_reshape},
    {"Flatten", fold_flatten},
    {"Transpose", fold_transpose},
    {"Expand", fold_expand},
    {"Range", fold_range},
    {"ReduceProd", fold_reduce_prod},
    {"ReduceSum", fold_reduce_sum},
    {"ReduceMax", fold_reduce_max},
    {"ReduceMin", fold_reduce_min},
};

const Row* find_row(std::string_view op) {
  static const auto index = [] {
    std::unordered_map<std::string_view, const Row*> map;
    for (const Row& row : rows) map.emplace(row.op, &row);
    return map;
  }();
  const auto found = index.find(op);
  return found == index.end() ? nullptr : found->second;
}

// Literals that the dtype cannot hold would wrap around: that is left to the engine.
bool fits(const Symbolic& x) {
  const int width = bits(x.dtype);
  const bool is_signed = kind(x.dtype) == Kind::signed_int;
  return std::ranges::all_of(x.elements, [&](const Dim& element) {
    if (!element.is_literal()) return width >= 32;
    const int64_t value = element.literal();
    if (x.dtype == DType::bool_) return value == 0 || value == 1;
    if (width == 64) return is_signed || value >= 0;
    const int64_t above = int64_t{1} << (is_signed ? width - 1 : width);
    return value < above && value >= (is_signed ? -above : 0);
  });
}

}  // namespace

bool fold_sizes(Node& node) {
  const Row* row = find_row(node.op());
  if (!row) return false;
  try {
    const Folded results = row->fold(node);
    if (!results || !std::ranges::all_of(*results, fits)) return false;
    node.check_all_read();
    for (size_t i = 0; i < results->size(); ++i) node.set(i, (*results)[i]);
    return true;
  } catch (const Error& error) {
    // An expression beyond the limits of Dim, an attribute of an old opset: the handler knows more.
    if (error.code() == Code::bad_file) throw;
    return false;
  }
}

}  // namespace ingot::onnx
