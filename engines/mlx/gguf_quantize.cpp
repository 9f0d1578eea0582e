// How `quantize` makes GGUF blocks: engines/reference/gguf_quantize.cpp has the same rules, element by element. The methods
// of groups of 32 and the ternary ones compute in f32; the others in f64 where the device has it.
#include <algorithm>

#include "engines/gguf_layout.h"
#include "engines/mlx/cast.h"
#include "engines/mlx/gguf.h"

namespace ingot::mlx_engine {
namespace {

using namespace gguf;

// Blocks that are put together. Fields of a byte do not overlap, so that it is their sum: a product with zeros and ones.
class Blocks {
 public:
  Blocks(Frame& frame, array elements, int size)
      : x(std::move(elements)), frame_(frame), size_(size), bytes_(mx::zeros({count(), size}, mx::float32, stream())) {}

  const array x;  // [blocks, elements] in f32

  mx::Stream stream() const { return frame_.stream(); }
  int count() const { return x.shape(0); }
  Frame& frame() const { return frame_; }
  // The bytes of all blocks.
  array bytes() const { return mx::flatten(mx::astype(bytes_, mx::uint8, stream()), stream()); }

  // Column i of `codes`, whole numbers, goes into field(i), as many of its low bits as that has.
  template <class F>
  void put(const array& codes, F field) {
    const int columns = codes.shape(1);
    std::vector<int32_t> masks, shifts;
    std::vector<float> place(static_cast<size_t>(columns * size_));
    for (int i = 0; i < columns; ++i) {
      const Field f = field(i);
      masks.push_back((1 << f.bits) - 1);
      shifts.push_back(f.shift);
      const int at = i * size_ + f.at;
      place[static_cast<size_t>(at)] = 1;
    }
    const array own =
        mx::bitwise_and(mx::astype(codes, mx::int32, stream()), array(masks.begin(), {columns}), stream());
    const array moved = mx::left_shift(own, array(shifts.begin(), {columns}), stream());
    const array to(place.begin(), {columns, size_});
    bytes_ = mx::add(bytes_, mx::matmul(mx::astype(moved, mx::float32, stream()), to, stream()), stream());
  }
  template <class F>
  void put_split(const array& codes, F field) {
    std::vector<int32_t> shifts;
    for (int i = 0; i < codes.shape(1); ++i) shifts.push_back(field(i).low.bits);
    const array whole = mx::astype(codes, mx::int32, stream());
    put(whole, [&](int i) { return field(i).low; });
    put(mx::right_shift(whole, array(shifts.begin(), {codes.shape(1)}), stream()),
        [&](int i) { return field(i).high; });
  }
  void put_bytes(const array& u8, int at) {
    put(u8, [&](int i) { return byte(at + i); });
  }
  // A number of each block, [blocks, 1], as it reads back from f16.
  array put_half(const array& d, int at, const char* what = "scale of a group") {
    const DType dtype = from_mlx(d.dtype());
    const array held = held_by(frame_, d, dtype, DType::f16, what);
    put_bytes(mx::view(held, mx::uint8, stream()), at);
    return cast(frame_, held, DType::f16, dtype);
  }

 private:
  Frame& frame_;
  int size_;
  array bytes_;
};

// ---------------------------------------------------------------------------------------------------------- numbers

// The first of the largest magnitude, along the last axis, which stays.
array extreme(const array& x, mx::Stream s) {
  return mx::take_along_axis(x, mx::argmax(mx::abs(x, s), -1, true, s), -1, s);
}
array magnitude(const array& x, mx::Stream s) { return mx::max(mx::abs(x, s), -1, true, s); }

// 0 where the divisor is.
array ratio(const array& x, const array& step, mx::Stream s) {
  const array none = mx::equal(step, number(0, step), s);
  return mx::where(none, number(0, x), mx::divide(x, mx::where(none, number(1, step), step, s), s), s);
}
// one / d; 0 where that is not finite.
array reciprocal(const array& d, mx::Stream s, float one = 1) {
  const array inverse = mx::divide(number(one, d), d, s);
  return mx::where(mx::isfinite(inverse, s), inverse, number(0, d), s);
}
// To even.
array nearest(const array& x, double low, double high, mx::Stream s) {
  return mx::clip(mx::round(x, s), number(low, x), number(high, x), s);
}
// Halves away from 0. What is behind the point is exact.
array rounded(const array& x, mx::Stream s) {
  const array whole = mx::trunc(x, s), behind = mx::abs(mx::subtract(x, whole, s), s);
  const array away = mx::where(mx::greater_equal(behind, number(0.5, x), s), mx::sign(x, s), number(0, x), s);
  return mx::add(whole, away, s);
}
// ⌊x⌋ of what is not negative, up to `top`
array floored(const array& x, int top, mx::Stream s) { return mx::minimum(mx::floor(x, s), number(top, x), s); }

// ------------------------------------------------------------------------------------------------ groups of 32, in f32

// d = extreme / -zero, code = ⌊x·(1/d) + zero + 1/2⌋ up to 2·zero - 1
array centred(Blocks& b, int zero) {
  const mx::Stream s = b.stream();
  const array d = mx::divide(extreme(b.x, s), number(-zero, b.x), s);
  b.put_half(d, 0);
  const array scaled = mx::multiply(b.x, reciprocal(d, s), s);
  return floored(mx::add(scaled, number(zero + 0.5, b.x), s), 2 * zero - 1, s);
}

// m = min, d = (max - min) / top, code = ⌊(x - m)·(1/d) + 1/2⌋ up to top
array above_min(Blocks& b, int top) {
  const mx::Stream s = b.stream();
  const array low = mx::min(b.x, -1, true, s), high = mx::max(b.x, -1, true, s);
  const array d = mx::divide(mx::subtract(high, low, s), number(top, b.x), s);
  b.put_half(d, 0);
  b.put_half(low, 2, "bias of a group");
  const array scaled = mx::multiply(mx::subtract(b.x, low, s), reciprocal(d, s), s);
  return floored(mx::add(scaled, number(0.5, b.x), s), top, s);
}

void put_nibbles(Blocks& b, const array& codes, int at) {
  b.put(codes, [&](int i) { return nibble(at, i); });
}
void put_five_bits(Blocks& b, const array& codes, int fifth, int others) {
  put_nibbles(b, codes, others);
  b.put(mx::floor(mx::multiply(codes, number(0.0625, codes), b.stream()), b.stream()),
        [&](int i) { return bit(fifth, i); });
}

void q4_0(Blocks& b) { put_nibbles(b, centred(b, 8), 2); }
void q4_1(Blocks& b) { put_nibbles(b, above_min(b, 15), 4); }
void q5_0(Blocks& b) { put_five_bits(b, centred(b, 16), 2, 6); }
void q5_1(Blocks& b) { put_five_bits(b, above_min(b, 31), 4, 8); }

// d = largest magnitude / top, code = x·(1/d), halves away from 0
struct Rounded {
  array d, codes;
};
Rounded rounded_codes(Blocks& b, int d_at, int top) {
  const mx::Stream s = b.stream();
  const array d = mx::divide(magnitude(b.x, s), number(top, b.x), s);
  b.put_half(d, d_at);
  return {d, rounded(mx::multiply(b.x, reciprocal(d, s), s), s)};
}

void q8_0(Blocks& b) { b.put_bytes(rounded_codes(b, 0, 127).codes, 2); }

void q8_1(Blocks& b) {
  const auto [d, codes] = rounded_codes(b, 0, 127);
  b.put_bytes(codes, 4);
  b.put_half(mx::multiply(mx::sum(codes, -1, true, b.stream()), d, b.stream()), 2);
}

// A byte is ⌈256·n / 243⌉ of the number n of five digits.
void tq1_0(Blocks& b) {
  constexpr int weights[] = {81, 27, 9, 3, 1};
  const mx::Stream s = b.stream();
  const array digits = mx::add(rounded_codes(b, 52, 1).codes, number(1, b.x), s);
  std::vector<float> weight_of(size_t{256} * 52);
  for (int i = 0; i < 256; ++i) {
    const Digit digit = tq1_0_digit(i);
    const int at = i * 52 + digit.at;
    weight_of[static_cast<size_t>(at)] = static_cast<float>(weights[digit.power]);
  }
  const array n = mx::matmul(digits, array(weight_of.begin(), {256, 52}), s);
  const array whole = mx::add(mx::multiply(mx::astype(n, mx::int32, s), array(256), s), array(242), s);
  b.put_bytes(mx::floor_divide(whole, array(243), s), 0);
}

void tq2_0(Blocks& b) {
  const array codes = rounded_codes(b, 64, 1).codes;
  b.put(mx::add(codes, number(1, codes), b.stream()), [](int i) { return crumb(0, i); });
}

// The inverse -127 / extreme, d its reciprocal, code = x·inverse to even, up to 127; sums of 16 codes
void q8_k(Blocks& b) {
  const mx::Stream s = b.stream();
  const array inverse = reciprocal(extreme(b.x, s), s, -127), none = mx::equal(inverse, number(0, inverse), s);
  const array d = mx::where(none, number(0, inverse),
                            mx::divide(number(1, inverse), mx::where(none, number(1, inverse), inverse, s), s), s);
  b.put_bytes(mx::view(held_by(b.frame(), d, DType::f32, DType::f32, "scale of a group"), mx::uint8, s), 0);
  const array codes = nearest(mx::multiply(b.x, inverse, s), -127, 127, s);
  const array sums = mx::sum(mx::reshape(codes, {b.count(), 16, 16}, s), -1, false, s);
  b.put_bytes(codes, 4);
  b.put_bytes(mx::view(mx::astype(sums, mx::int16, s), mx::uint8, s), 260);
}

// ------------------------------------------------------------------------------------ groups within blocks of 256

array groups_of(const Blocks& b, int size) {
  const array wide = mx::astype(b.x, to_mlx(fitting_dtype(b.frame())), b.stream());
  return mx::reshape(wide, {b.count(), b.x.shape(1) / size, size}, b.stream());
}
array elements(const Blocks& b, const array& grouped) { return mx::reshape(grouped, b.x.shape(), b.stream()); }
// [blocks, groups] of [blocks, groups, 1] and back
array flat(const Blocks& b, const array& x) { return mx::squeeze(x, -1, b.stream()); }
array deep(const Blocks& b, const array& x) { return mx::expand_dims(x, -1, b.stream()); }

struct Grouped {
  array codes, scales;
  std::optional<array> mins;
};

// A group's m = -min, at least 0, and s = (max + m) / top. d = largest s / steps, dmin = largest m / steps; scale and
// min nearest s / d and m / dmin; code nearest (x + dmin·min) / (d·scale)
Grouped with_mins(Blocks& b, int d_at, int size, int steps, int top) {
  const mx::Stream s = b.stream();
  const array x = groups_of(b, size);
  const array low = flat(b, mx::min(x, -1, true, s)), high = flat(b, mx::max(x, -1, true, s));
  const array m = mx::maximum(mx::negative(low, s), number(0, x), s);
  const array own = mx::divide(mx::add(high, m, s), number(top, x), s);
  const auto step = [&](const array& each) { return mx::divide(mx::max(each, -1, true, s), number(steps, x), s); };
  const array d = b.put_half(step(own), d_at), dmin = b.put_half(step(m), d_at + 2);
  const array scale = nearest(ratio(own, d, s), 0, steps, s), min = nearest(ratio(m, dmin, s), 0, steps, s);
  const array above = mx::add(x, deep(b, mx::multiply(dmin, min, s)), s);
  const array codes = nearest(ratio(above, deep(b, mx::multiply(d, scale, s)), s), 0, top, s);
  return {elements(b, codes), scale, min};
}

// A group's s = extreme / lowest code. d = the extreme of s / lowest scale; scale nearest s / d. The codes are
// x / (d·scale), not rounded yet.
Grouped with_scales(Blocks& b, int d_at, int size, int lowest_scale, int lowest_code) {
  const mx::Stream s = b.stream();
  const array x = groups_of(b, size);
  const array own = flat(b, mx::divide(extreme(x, s), number(lowest_code, x), s));
  const array d = b.put_half(mx::divide(extreme(own, s), number(lowest_scale, x), s), d_at);
  const array scale = nearest(ratio(own, d, s), lowest_scale, -lowest_scale - 1, s);
  return {elements(b, ratio(x, deep(b, mx::multiply(d, scale, s)), s)), scale, {}};
}

array plus(const Blocks& b, const array& x, double y) { return mx::add(x, number(y, x), b.stream()); }
// The bits of whole numbers from `first` on.
array above_bit(const Blocks& b, const array& codes, int first) {
  return mx::right_shift(mx::astype(codes, mx::int32, b.stream()), array(first), b.stream());
}

void q2_k(Blocks& b) {
  const auto [codes, scales, mins] = with_mins(b, 80, 16, 15, 3);
  b.put(scales, [](int j) { return Field{j, 0, 4}; });
  b.put(*mins, [](int j) { return Field{j, 4, 4}; });
  b.put(codes, [](int i) { return crumb(16, i); });
}

void q3_k(Blocks& b) {
  const auto [exact, scales, mins] = with_scales(b, 108, 16, -32, -4);
  const array codes = plus(b, nearest(exact, -4, 3, b.stream()), 4);
  b.put_split(plus(b, scales, 32), q3_k_scale);
  b.put(codes, [](int i) { return crumb(32, i); });
  b.put(above_bit(b, codes, 2), [](int i) { return plane(0, i); });
}

void q4_k(Blocks& b) {
  const auto [codes, scales, mins] = with_mins(b, 0, 32, 63, 15);
  b.put_split(scales, k_scale);
  b.put_split(*mins, k_min);
  b.put(codes, [](int i) { return nibble(16, i, 32); });
}

void q5_k(Blocks& b) {
  const auto [codes, scales, mins] = with_mins(b, 0, 32, 63, 31);
  b.put_split(scales, k_scale);
  b.put_split(*mins, k_min);
  b.put(codes, [](int i) { return nibble(48, i, 32); });
  b.put(above_bit(b, codes, 4), [](int i) { return plane(16, i); });
}

void q6_k(Blocks& b) {
  const auto [exact, scales, mins] = with_scales(b, 208, 16, -128, -32);
  const array codes = plus(b, nearest(exact, -32, 31, b.stream()), 32);
  b.put_bytes(scales, 192);
  b.put(codes, [](int i) { return nibble(0, i, 64); });
  b.put(above_bit(b, codes, 4), [](int i) { return crumb(128, i); });
}

array iq4_codes(const Blocks& b, const array& x) {
  return nearest_level(x, array(iq4_levels.begin(), {16}, x.dtype()), b.stream());
}

void iq4_xs(Blocks& b) {
  const auto [exact, scales, mins] = with_scales(b, 0, 32, -32, -127);
  b.put_split(plus(b, scales, 32), iq4_xs_scale);
  put_nibbles(b, iq4_codes(b, exact), 8);
}

void iq4_nl(Blocks& b) {
  const mx::Stream s = b.stream();
  const array x = elements(b, groups_of(b, 32));
  const array d = b.put_half(mx::divide(extreme(x, s), number(-127, x), s), 0);
  put_nibbles(b, iq4_codes(b, ratio(x, d, s)), 2);
}

struct Writer {
  QuantMethod method;
  void (*write)(Blocks& blocks);
};

constexpr Writer writers[] = {INGOT_GGUF_WRITTEN(INGOT_GGUF_ENTRY)};

}  // namespace

array quantized_blocks(Frame& frame, const array& x, QuantMethod method) {
  const mx::Stream s = frame.stream();
  const auto elements = static_cast<int>(*facts(method).group), size = static_cast<int>(facts(method).block_bytes);
  const array rounded = held_by(frame, x, from_mlx(x.dtype()), DType::f32, "an element of a group");
  Blocks blocks(frame, mx::reshape(rounded, {-1, elements}, s), size);
  std::ranges::find(writers, method, &Writer::method)->write(blocks);
  return blocks.bytes();
}

}  // namespace ingot::mlx_engine
