#include "tests/file/programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "program/builder.h"

// A node is made where its builder method is called, so operands that are made on the way get names: the order in which a
// compiler evaluates arguments must not matter.

namespace ingot::test {

namespace {

// ------------------------------------------------------------------------------------------------------- every op

struct Helpers {
  GraphId same, twice, below, next, add_row, nothing;
};

Helpers add_helpers(ProgramBuilder& p) {
  GraphBuilder& same = p.graph("same");
  same.output("y", same.input("x", DType::f32, {}));
  GraphBuilder& twice = p.graph("twice");
  const Var x = twice.input("x", DType::f32, {});
  twice.output("y", x + x);
  GraphBuilder& below = p.graph("below");
  const Var a = below.input("a", DType::i32, {}), end = below.input("end", DType::i32, {});
  below.output("go_on", below.lt(a, end));
  GraphBuilder& next = p.graph("next");
  const Var n = next.input("n", DType::i32, {});
  next.input("end", DType::i32, {});
  next.output("n", n + 1);
  GraphBuilder& add_row = p.graph("add_row");
  const Var sum = add_row.input("sum", DType::f32, {}), row = add_row.input("row", DType::f32, {3});
  const Var factor = add_row.input("factor", DType::f32, {});
  add_row.output("sum", sum + add_row.reduce_sum(row, {0}));
  add_row.output("scaled", row * factor);
  GraphBuilder& nothing = p.graph("nothing");
  return {same.id(), twice.id(), below.id(), next.id(), add_row.id(), nothing.id()};
}

void add_elementwise(GraphBuilder& f, Var x, Var y) {
  f.gelu_tanh(f.exp(x)).named("gelu");
  const Var left = f.cast(x, DType::i16, {.saturate = true}), by = f.cast(y, DType::u8);
  f.shift_left(left, by);
  f.select(f.ge(y, x), y, x);
}

void add_reductions(GraphBuilder& f, Var x) {
  f.reduce_sum(x, {0, -1}, {.keepdims = true, .dtype = DType::f64});
  f.reduce_logsumexp(x, {});
  f.argmin(x, {.axis = 0, .keepdims = true, .dtype = DType::i32, .last = true});
  f.softmax(x, {.axis = 0, .log = true});
  f.layer_norm(x, {.weight = f.full({4}, 2.0), .bias = f.full({4}, -0.0), .axis = 1, .eps = 1e-3});
  f.rms_norm(x, {.weight = f.full({4}, 0.5), .axis = 1, .eps = 0});
}

void add_shapes(GraphBuilder& f, Var x, const Symbol& s) {
  const Var other = f.full({4, s}, 1.0), a = f.transpose(x, {1, 0}), b = f.transpose(other, {1, 0});
  f.matmul(a, b, {.transpose_a = true, .transpose_b = true});
  f.broadcast(f.reshape(x, {Dim(s) * 4, 1}), {2, Dim(s) * 4, 3});
  f.slice(x, {1, 0}, {1, 0}, {4, min(s, 64)}, {.steps = {2, 1}});
  f.concatenate({other, other}, {.axis = 1});
  f.pad(x, {2, floor_div(Dim(s), 3)}, {max(Dim(s) - 7, 0), mod(s, 5)}, {.mode = PadMode::constant, .value = -1.5});
  f.pad(x, {0, 3}, {0, 1}, {.mode = PadMode::reflect});
  f.ensure_shape(x, {7, 4});
}

void add_indices(GraphBuilder& f, Var x, Var indices, SymbolId count) {
  f.take(x, indices, {.axis = 1, .mode = IndexMode::clamp});
  f.gather(x, indices, {.axis = -1, .mode = IndexMode::drop});
  f.scatter_max(x, indices, f.full(indices.shape(), 3, {.dtype = DType::i64}), {.axis = 1, .mode = IndexMode::drop});
  f.nonzero(f.cast(x, DType::bool_), count);
}

void add_created(GraphBuilder& f, Var key, const Symbol& s) {
  f.iota(s, {.dtype = DType::u8, .start = uint64_t{3}, .step = 2});
  f.iota(Dim(s) * s, {.dtype = DType::c64, .start = std::complex<float>(1, -2)});
  f.full({2, 0}, std::numeric_limits<uint64_t>::max(), {.dtype = DType::u64});
  f.full({}, std::numeric_limits<double>::quiet_NaN());
  f.random_normal(key, {s, 2}, {.dtype = DType::bf16, .offset = -1, .scale = 0.125});
  f.size_of(Dim(s) * 2 + 1, {.dtype = DType::i32});
}

void add_attention(GraphBuilder& f, const Symbol& s, const Symbol& t) {
  const Var q = f.full({2, 6, s, 8}, 1.0), k = f.full({2, 3, t, 8}, 2.0), v = f.full({2, 3, t, 5}, 3.0);
  f.attention(q, k, v,
              {.mask = f.full({s, 1}, true, {.dtype = DType::bool_}),
               .scale = 0.5,
               .causal = Causal::lower_right,
               .window = 4,
               .softcap = 30.0});
}

void add_quantised(GraphBuilder& f, Var x) {
  const Var scale = f.full({}, 0.25);
  const QuantScheme scheme{QuantMethod::symmetric, 8, 32, DType::bf16};
  const Var packed = f.quantize(x, scheme, {.scale = scale});
  f.dequantize(packed, {.scale = scale, .dtype = DType::f64});
  const Var w = f.quantize(f.full({6, 4}, 1.0), {});
  f.quantized_matmul(x, w, {.scale = scale});
}

void add_control(GraphBuilder& f, const Helpers& h, const Symbol& t) {
  const Var condition = f.full({}, true, {.dtype = DType::bool_}), one = f.full({}, 1.0);
  const Var zero = f.full({}, 0, {.dtype = DType::i32}), end = f.full({}, 5, {.dtype = DType::i32});
  f.if_(condition, h.twice, h.same, {.captures = {one}});
  f.if_(condition, h.same, h.twice, {.captures = {one}});
  f.while_(h.below, h.next, {.carry = {zero}, .captures = {end}, .max_trips = 9});
  f.scan(h.add_row, t, {.carry = {one}, .xs = {f.full({t, 3}, 1.0)}, .captures = {one}, .reverse = true});
  f.call(h.twice, {.operands = {one}});
  f.call(h.nothing);
  f.custom("acme.mix",
           {{DType::f16, {t, 2}, {}}, {DType::packed, {3, 32}, QuantScheme{QuantMethod::mxfp4, 4, 32, DType::f8e8m0}}},
           {.operands = {one, end},
            .attributes = {{.name = "ints", .ints = {-1, std::numeric_limits<int64_t>::max()}},
                           {.name = "reals", .reals = {0.1, -std::numeric_limits<double>::infinity()}},
                           {.name = "text", .text = std::string("any \0 bytes \xff", 13)},
                           {.name = "empty"}}});
  f.custom("acme.nothing", {});
}

}  // namespace

Program every_op() {
  ProgramBuilder p;
  const Symbol s = p.symbol("S", 1, 64), t = p.symbol("T", 0);
  p.symbol("count");
  const Helpers helpers = add_helpers(p);
  p.state("first", {DType::f32, {4}, {}});
  const StateId cache = p.state("cache", {DType::f32, {9, 4}, {}});
  const WeightId w = p.weight("w", Tensor::of<float>({4}, {1, 2, 3, 4}));
  GraphBuilder& f = p.method("forward");
  const Var y = f.input("y", DType::f32, {4}), x = f.input("x", DType::f32, {s, 4});
  const Var key = f.input("key", DType::u32, {2}), indices = f.input("indices", DType::i32, {s, 3});
  f.input("of t", DType::f8e5m2, {t});
  f.set_source({.op = "Layer", .file = "model.onnx"});
  add_elementwise(f, x, f.weight(w) + y);
  add_reductions(f, x);
  f.set_source({});
  add_shapes(f, x, s);
  add_indices(f, f.cast(x, DType::i64), indices, p.symbol_id("count"));
  add_created(f, key, s);
  add_attention(f, s, t);
  add_quantised(f, x);
  add_control(f, helpers, t);
  f.state_write(cache, f.state_read(cache));
  const Var at = f.full({}, 2, {.dtype = DType::i32});
  f.output("kept", f.state_update(cache, f.reshape(y, {1, 4}), {at, at}, {0, 1}, {.mode = IndexMode::clamp}));
  f.output("again", f.weight(w));
  return p.build();
}

// ---------------------------------------------------------------------------------------------------- every dtype

namespace {

Tensor filled(DType dtype, Sizes sizes, std::optional<QuantScheme> scheme = {}) {
  Tensor tensor = Tensor::allocate(dtype, std::move(sizes), scheme);
  const auto bytes = tensor.mutable_bytes();
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::byte>(dtype == DType::bool_ ? i % 2 : i * 37 + 11);
  return tensor;
}

constexpr QuantScheme schemes[] = {
    {QuantMethod::affine, 3, 5, DType::f32},    {QuantMethod::symmetric, 8, 64, DType::bf16},
    {QuantMethod::mxfp4, 4, 32, DType::f8e8m0}, {QuantMethod::mxfp8, 8, 32, DType::f8e8m0},
    {QuantMethod::nvfp4, 4, 16, DType::f8e4m3},
};

void add_weights(ProgramBuilder& p, GraphBuilder& f, const std::string& name, DType dtype,
                 const std::optional<QuantScheme>& scheme) {
  const bool packed = scheme.has_value();
  for (const Sizes& sizes : {packed ? Sizes{7} : Sizes{}, Sizes{0, 3}, Sizes{3, 37}}) {
    const WeightId weight =
        p.weight(fmt::format("{} of {}", name, fmt::join(sizes, "x")), filled(dtype, sizes, scheme));
    f.output(p.program().weights[weight.id].name, f.weight(weight));
    const TensorType type = p.program().weights[weight.id].type;
    p.state(fmt::format("{} of {}", name, fmt::join(sizes, "x")), type, weight);
  }
  p.state(name, {dtype, {2, 5}, scheme});
  f.input(name, {dtype, {3, 5}, scheme});
}

}  // namespace

Program every_dtype() {
  ProgramBuilder p;
  GraphBuilder& f = p.method("forward");
  for (size_t i = 0; i < EnumNames<DType>::names.size(); ++i) {
    const auto dtype = static_cast<DType>(i);
    if (dtype != DType::packed) add_weights(p, f, std::string(to_string(dtype)), dtype, {});
  }
  for (const QuantScheme& scheme : schemes)
    add_weights(p, f, std::string(to_string(scheme.method)), DType::packed, scheme);
  return p.build();
}

// --------------------------------------------------------------------------------------------------------- small

Program small_program() {
  ProgramBuilder p;
  const Symbol s = p.symbol("S", 1, 8), n = p.symbol("N");
  const WeightId w = p.weight("w", Tensor::of<float>({3, 2}, {1, -2, 3, -4, 5, -6}));
  Tensor seen = Tensor::allocate(DType::bool_, {3});
  std::ranges::copy(std::array{std::byte{1}, std::byte{0}, std::byte{1}}, seen.mutable_bytes().begin());
  const WeightId mask = p.weight("mask", seen);
  const StateId total = p.state("total", {DType::f32, {3, 2}, {}}, w);
  const Helpers h = add_helpers(p);
  GraphBuilder& f = p.method("forward");
  const Var x = f.input("x", DType::f32, {s, 3}), key = f.input("key", DType::u32, {2});
  const Var seen_here = f.weight(mask), zero = f.scalar(0, DType::f32);
  const Var kept = f.select(seen_here, x, zero).named("kept");
  const Var y = f.matmul(kept, f.state_read(total)), at = f.iota(s, {.dtype = DType::i32});
  const auto rows = f.scan(h.add_row, s, {.carry = {f.full({}, 0.0)}, .xs = {kept}, .captures = {f.full({}, 2.0)}});
  const auto trips = f.while_(h.below, h.next,
                              {.carry = {f.full({}, 0, {.dtype = DType::i32})},
                               .captures = {f.size_of(s, {.dtype = DType::i32})},
                               .max_trips = 5});
  const Var go = f.gt(rows[0], f.scalar(1.5, DType::f32));
  f.state_update(total, f.random_uniform(key, {1, 2}), {trips[0]}, {0}, {.mode = IndexMode::clamp});
  f.output("y", f.softmax(f.take(y, at, {.mode = IndexMode::drop}), {.axis = 0}));
  f.output("branch", f.if_(go, h.twice, h.same, {.captures = {rows[0]}})[0]);
  f.output("at", f.nonzero(f.slice(rows[1], {1}, {1}, {3}), p.symbol_id(n.name())));
  return p.build();
}

// ----------------------------------------------------------------------------------------------------- difference

namespace {

std::string difference(const Graph& a, const Graph& b) {
  if (a.name != b.name || a.exported != b.exported) return "name";
  if (a.inputs != b.inputs) return "inputs";
  if (a.values.size() != b.values.size()) return "values";
  for (size_t i = 0; i < a.values.size(); ++i) {
    const Value &x = a.values[i], &y = b.values[i];
    const bool same = x.kind == y.kind && x.index == y.index && x.type == y.type && x.name == y.name;
    if (!same) return fmt::format("values[{}]", i);
  }
  if (a.nodes.size() != b.nodes.size()) return "nodes";
  for (size_t i = 0; i < a.nodes.size(); ++i) {
    const Node &x = a.nodes[i], &y = b.nodes[i];
    const bool placed = x.result_count == y.result_count && (x.result_count == 0 || x.first_result == y.first_result);
    if (!placed || x.name != y.name || x.source != y.source) return fmt::format("nodes[{}]", i);
    if (x.op != y.op) return fmt::format("nodes[{}].op {}", i, mnemonic(x.op));
  }
  const auto same_output = [](const Output& x, const Output& y) { return x.name == y.name && x.value == y.value; };
  return std::ranges::equal(a.outputs, b.outputs, same_output) ? "" : "outputs";
}

bool same(const Symbol& a, const Symbol& b) { return a.name() == b.name() && a.min() == b.min() && a.max() == b.max(); }

bool same(const Weight& a, const Weight& b) {
  return a.name == b.name && a.type == b.type && a.contents() == b.contents() && a.hash == b.hash &&
         a.external == b.external && (!a.tensor || std::ranges::equal(a.tensor->bytes(), b.tensor->bytes()));
}

bool same(const State& a, const State& b) { return a.name == b.name && a.type == b.type && a.initial == b.initial; }

}  // namespace

std::string difference(const Program& a, const Program& b) {
  const auto equal = [](const auto& x, const auto& y) { return same(x, y); };
  if (!std::ranges::equal(a.symbols, b.symbols, equal)) return "symbols";
  if (!std::ranges::equal(a.weights, b.weights, equal)) return "weights";
  if (!std::ranges::equal(a.states, b.states, equal)) return "states";
  if (a.graphs.size() != b.graphs.size()) return "graphs";
  for (size_t i = 0; i < a.graphs.size(); ++i) {
    const std::string found = difference(a.graphs[i], b.graphs[i]);
    if (!found.empty()) return fmt::format("graphs[{}].{}", i, found);
  }
  return "";
}

}  // namespace ingot::test
