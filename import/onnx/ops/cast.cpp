// Casts, also from and to dtypes that Ingot has not: 8-bit floats without infinity and -0 ("FNUZ"), held as their bits.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

#include "import/onnx/handlers.h"
#include "import/onnx/sizes.h"

namespace ingot::onnx {
namespace {

// ------------------------------------------------------------------------------------------------------ FNUZ floats

// Codes 0 … 127 are the magnitudes in order, 128 is NaN, and from 129 on they are negative.
constexpr int64_t kNan = 128;

struct Format {
  int mantissa, bias;  // bits, exponent bias
};

Format format_of(int32_t data_type) { return data_type == kFloat8E4M3FnUz ? Format{3, 8} : Format{2, 16}; }

double magnitude(const Format& format, int code) {
  const int exponent = code >> format.mantissa, hidden = 1 << format.mantissa, fraction = code & (hidden - 1);
  return std::ldexp(exponent == 0 ? fraction : fraction + hidden,
                    std::max(exponent, 1) - format.bias - format.mantissa);
}

Var decoded(Node& node, GraphBuilder& graph, const Coded& coded) {
  std::vector<float> values;
  for (int code = 0; code < 256; ++code) {
    const auto value = static_cast<float>(magnitude(format_of(coded.data_type), code % kNan));
    values.push_back(code == kNan ? std::numeric_limits<float>::quiet_NaN() : code > kNan ? -value : value);
  }
  const Var table = node.as_var(Constant{Tensor::of<float>({256}, values), "fnuz_values"});
  return graph.take(table, node.body().bring(coded.bits));
}

// The code of |x| is how many of these are smaller: the middles between neighbours. A middle itself goes to the even
// code, so in front of even ones the number below stands for it.
template <class T>
Tensor middles(const Format& format) {
  std::vector<T> list;
  for (int code = 0; code < kNan; ++code) {
    const T middle = static_cast<T>((magnitude(format, code) + magnitude(format, code + 1)) / 2);
    list.push_back(code % 2 == 0 ? middle : std::nextafter(middle, T{0}));
  }
  return Tensor::of<T>({kNan}, list);
}

Coded encoded(Node& node, GraphBuilder& graph, Var x, int32_t data_type, bool saturate) {
  const bool wide = x.dtype() == DType::f64 || is_integer(x.dtype());
  if (wide || x.dtype() != DType::f32) x = graph.cast(x, wide ? DType::f64 : DType::f32);
  const Format format = format_of(data_type);
  const Var table = node.as_var(Constant{wide ? middles<double>(format) : middles<float>(format), "fnuz_middles"});
  Var code = graph.search_sorted(table, graph.abs(x));  // kNan beyond the largest
  const auto number = [&](int64_t value) { return graph.scalar(value, DType::i64); };
  if (saturate) code = graph.min(code, number(kNan - 1));
  const Var finite = graph.logical_and(graph.gt(code, number(0)), graph.lt(code, number(kNan)));
  const Var negative = graph.logical_and(finite, graph.lt(x, graph.scalar(0, x.dtype())));
  code = graph.select(negative, code + kNan, code);
  code = graph.select(graph.isnan(x), number(kNan), code);
  return {graph.cast(code, DType::u8), data_type};
}

// ------------------------------------------------------------------------------------------------- casts to f8e8m0

// The exponent of x as an f32, whatever its sign, plus 1 where the fraction asks for it. 255 is NaN.
Var to_exponent(GraphBuilder& graph, Var x, const std::string& rounding, bool saturate) {
  const auto number = [&](int64_t value) { return graph.scalar(value, DType::u32); };
  const Var bits = graph.bitcast(x.dtype() == DType::f32 ? x : graph.cast(x, DType::f32), DType::u32);
  const Var exponent = graph.bitwise_and(graph.shift_right(bits, number(23)), number(0xFF));
  const Var fraction = graph.bitwise_and(bits, number(0x7FFFFF)), half = number(0x400000);
  Var result = exponent;
  if (rounding == "up") {
    result = result + graph.cast(graph.gt(fraction, number(0)), DType::u32);
  } else if (rounding == "nearest") {  // a tie goes up, but for the smallest
    const Var tie = graph.logical_and(graph.eq(fraction, half), graph.gt(exponent, number(0)));
    result = result + graph.cast(graph.logical_or(graph.gt(fraction, half), tie), DType::u32);
  } else if (rounding != "down") {
    throw Unsupported(fmt::format("attribute round_mode is {}", rounding));
  }
  result = graph.min(result, number(saturate ? 0xFE : 0xFF));
  result = graph.select(graph.eq(exponent, number(0xFF)), exponent, result);
  return graph.bitcast(graph.cast(result, DType::u8), DType::f8e8m0);
}

// ------------------------------------------------------------------------------------------------------------ casts

Value cast_to(Node& node, GraphBuilder& graph, int32_t data_type) {
  const bool saturate = node.flag("saturate", true);
  const std::string rounding = node.text("round_mode", "up");
  const Value& given = node.value(0);
  if (given.coded() && given.coded()->data_type == data_type) return given;
  const Var x = given.coded() ? decoded(node, graph, *given.coded()) : node.input(0);
  if (is_coded(data_type)) return encoded(node, graph, x, data_type, saturate);
  const DType dtype = dtype_of(data_type);
  if (x.dtype() == dtype) return x;
  if (dtype == DType::f8e8m0) return to_exponent(graph, x, rounding, saturate);
  // ONNX makes NaN, which f4e2m1 has not, a zero with the sign bit.
  if (dtype == DType::f4e2m1 && is_real(x.dtype())) {
    return graph.cast(graph.select(graph.isnan(x), graph.scalar(-0.0, x.dtype()), x), dtype);
  }
  // Only 8-bit floats tell saturation from overflow.
  const bool is_f8 = dtype == DType::f8e4m3 || dtype == DType::f8e5m2;
  return graph.cast(x, dtype, {.saturate = is_f8 && saturate});
}

// The dtype that an attribute names, by its number in onnx.proto.
int32_t target_of(Node& node) {
  const int64_t number = node.integer("to");
  if (number < 0 || number > std::numeric_limits<int32_t>::max()) {
    node.malformed("attribute to", fmt::format("{}", number), "a dtype");
  }
  return static_cast<int32_t>(number);
}

void cast(Node& node, GraphBuilder& graph) { node.set(0, cast_to(node, graph, target_of(node))); }

void cast_like(Node& node, GraphBuilder& graph) {
  const Value& like = node.value(1);
  node.set(0, cast_to(node, graph, like.coded() ? like.coded()->data_type : data_type_of(node.type(1).dtype)));
}

// ------------------------------------------------------------------------------------------------------------- bits

void bit_cast(Node& node, GraphBuilder& graph) {
  const int32_t data_type = target_of(node);
  const Value& given = node.value(0);
  const Var bits = given.coded() ? node.body().bring(given.coded()->bits) : node.input(0);
  const DType dtype = is_coded(data_type) ? DType::u8 : dtype_of(data_type);
  const Var y = bits.dtype() == dtype ? bits : graph.bitcast(bits, dtype);
  node.set(0, is_coded(data_type) ? Value(Coded{y, data_type}) : Value(y));
}

constexpr Handler rows[] = {
    {"BitCast", 26, bit_cast},
    {"Cast", 6, cast},
    {"CastLike", 15, cast_like},
};

}  // namespace

std::span<const Handler> cast_handlers() { return rows; }

}  // namespace ingot::onnx
