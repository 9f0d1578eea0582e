// Random programs of the expressions that recognition looks for, spelled out in one of many ways, with any value among
// the outputs: they give the same to rounding with passes on and off, and every rule below finds something.
#include <numbers>
#include <set>

#include "tests/passes/detours.h"
#include "tests/passes/recognize_support.h"
#include "tests/support/sanitized.h"

namespace ingot::test {
namespace {

class Speller {
 public:
  Speller(uint64_t seed, bool narrow) : draw_(seed), narrow_(narrow) {}

  Program program();

 private:
  // Commutative ops, either way round.
  Var sum(Var a, Var b) { return draw_.chance(50) ? a + b : b + a; }
  Var product(Var a, Var b) { return draw_.chance(50) ? a * b : b * a; }
  Var number(double value) { return f_.scalar(value, DType::f32); }
  Var mean(Var x) { return f_.reduce_mean(x, {-1}, {.keepdims = true}); }
  Var part(Var x, int64_t start, int64_t stop) { return f_.slice(x, {3}, {start}, {stop}); }
  // f(x), perhaps as f32 between casts from and to f16.
  template <class F>
  Var between_casts(Var x, F f) {
    if (!narrow_ || draw_.chance(50)) return f(x);
    return f_.cast(f_.cast(f(f_.cast(f_.cast(x, DType::f16), DType::f32)), DType::f16), DType::f32);
  }

  Var activation(Var x);
  Var over_root(Var x, Var spread);
  Var layer_norm(Var x);
  Var rms_norm(Var x);
  Var softmax(Var x, bool log);
  Var attention(Var x);
  Var rope(Var x);
  Var turned(Var x);
  Var update(Var x);
  Var cached(Var x);
  Var linear(Var x);
  Var conv(Var x);
  Var expression(Var x);
  Var perhaps_product(Var x) { return draw_.chance(30) ? product(x, weight_) : x; }

  Draw draw_;
  bool narrow_;
  ProgramBuilder builder_;
  GraphBuilder& f_ = builder_.method("f");
  Symbol s_ = builder_.symbol("S", 2, 8);
  StateId cache_ = builder_.state("cache", {DType::f32, {2, 4, 6, 8}, {}});
  Var weight_ = f_.input("weight", DType::f32, {8}), bias_ = f_.input("bias", DType::f32, {8});
  Var cos_ = f_.input("cos", DType::f32, {s_, 4}), sin_ = f_.input("sin", DType::f32, {s_, 4});
  Var matrix_ = f_.input("matrix", DType::f32, {32, 32}), position_ = f_.input("position", DType::i64, {1});
  Var kernel_ = f_.weight(builder_.weight("kernel", Tensor::of<float>({2, 4, 1}, {1, -2, 0.5, 3, 2, 1, -1, 0.25})));
  Var statistic_ = f_.weight(builder_.weight("statistic", Tensor::of<float>({2}, {0.5, 2})));
};

Var Speller::activation(Var x) {
  const Var divisor = sum(f_.exp(-x), number(1));
  const Var sigmoid = draw_.chance(50) ? f_.reciprocal(divisor) : 1 / divisor;
  const Var half = product(x, number(0.5));
  switch (draw_.below(8)) {
    case 0: return sigmoid;
    case 1: return product(x, sigmoid);
    case 2: return x / divisor;
    case 3: return product(x, f_.sigmoid(product(x, number(1.702))));
    case 4: return product(x, f_.tanh(f_.softplus(x)));
    case 5: return product(x, f_.hard_sigmoid(x, {.alpha = 1.0 / 6}));
    case 6: return product(half, sum(f_.erf(x / std::numbers::sqrt2), number(1)));
    default: {
      const Var cubic = sum(x, product(f_.square(x) * x, number(0.044715)));
      return product(half, sum(f_.tanh(product(cubic, number(std::sqrt(2 / std::numbers::pi)))), number(1)));
    }
  }
}

Var Speller::over_root(Var x, Var spread) {
  const Var above = sum(spread, number(1e-3));
  return draw_.chance(50) ? x / f_.sqrt(above) : product(x, f_.rsqrt(above));
}

Var Speller::layer_norm(Var x) {
  const Var centred = x - mean(x);
  Var y = over_root(centred, mean(f_.square(centred)));
  if (draw_.chance(60)) y = product(y, weight_);
  return draw_.chance(60) ? sum(y, bias_) : y;
}

Var Speller::rms_norm(Var x) {
  const Var y = over_root(x, mean(x * x));
  return draw_.chance(60) ? product(y, weight_) : y;
}

Var Speller::softmax(Var x, bool log) {
  const Var shifted = x - f_.reduce_max(x, {-1}, {.keepdims = true}), powers = f_.exp(shifted);
  const Var all = f_.reduce_sum(powers, {-1}, {.keepdims = true});
  if (log) return shifted - f_.log(all);
  return draw_.chance(50) ? powers / all : product(powers, f_.reciprocal(all));
}

// Perhaps with batch and heads as one axis around the products.
Var Speller::attention(Var x) {
  const bool joined = draw_.chance(30), einsum = draw_.chance(30);
  const Var y = joined ? f_.reshape(x, {8, s_, 8}) : x;
  Var scores = y;
  if (einsum) {
    scores = f_.einsum({y, y}, joined ? "nsd,ntd->nst" : "bhsd,bhtd->bhst");
  } else {
    scores = f_.matmul(y, f_.transpose(y, joined ? std::vector<int64_t>{0, 2, 1} : std::vector<int64_t>{0, 1, 3, 2}));
  }
  if (joined) scores = f_.reshape(scores, {2, 4, s_, s_});
  scores = product(scores, number(0.25));
  if (draw_.chance(50)) {
    const Var rows = f_.reshape(f_.iota(s_), {s_, 1}), columns = f_.iota(s_);
    const Var seen = draw_.chance(50) ? f_.le(columns, rows) : f_.ge(rows, columns);
    scores = f_.select(seen, scores, number(-std::numeric_limits<double>::infinity()));
  }
  const Var weights = softmax(scores, false);
  if (!joined) return einsum ? f_.einsum({weights, x}, "bhst,bhtd->bhsd") : f_.matmul(weights, x);
  return f_.reshape(f_.matmul(f_.reshape(weights, {8, s_, s_}), y), x.shape());
}

// The last axis of x, all of it, turned.
Var Speller::turned(Var x) {
  const bool interleaved = draw_.chance(40);
  const int64_t half = x.dim(-1).literal() / 2;
  const auto half_of = [&](Var table) { return f_.slice(table, {1}, {0}, {half}); };
  const Var cos = half_of(cos_), sin = half_of(sin_);
  const auto every_second = [&](int64_t from) { return f_.slice(x, {3}, {from}, {half * 2}, {.steps = {2}}); };
  const Var x1 = interleaved ? every_second(0) : part(x, 0, half);
  const Var x2 = interleaved ? every_second(1) : part(x, half, half * 2);
  const Shape column{2, 4, s_, half, 1};
  const auto joined = [&](Var a, Var b) {
    if (!interleaved) return f_.concatenate({a, b}, {.axis = 3});
    const Var pairs = f_.concatenate({f_.reshape(a, column), f_.reshape(b, column)}, {.axis = -1});
    return f_.reshape(pairs, {2, 4, s_, half * 2});
  };
  if (draw_.chance(50)) {
    const auto twice = [&](Var table) {
      return interleaved ? f_.repeat(table, 2, {.axis = -1}) : f_.concatenate({table, table}, {.axis = -1});
    };
    const Var straight = product(x, twice(cos)), across = joined(-x2, x1);
    return sum(straight, product(across, twice(sin)));
  }
  const Var a = product(x1, cos), b = product(x2, sin), c = product(x2, cos), d = product(x1, sin);
  return joined(a - b, sum(c, d));
}

Var Speller::rope(Var x) {
  if (draw_.chance(60)) return turned(x);
  return f_.concatenate({turned(part(x, 0, 4)), part(x, 4, 8)}, {.axis = 3});
}

// The first row at a position of x.
Var Speller::update(Var x) {
  const Var row = f_.slice(x, {2}, {0}, {1});
  if (draw_.chance(50)) {
    const Var indices = f_.broadcast(f_.reshape(position_, {1, 1, 1, 1}), row.shape());
    return f_.scatter_set(x, indices, row, {.axis = 2});
  }
  const auto to_front = [&](Var y) { return f_.transpose(y, {2, 0, 1, 3}); };
  return f_.transpose(f_.scatter_nd_set(to_front(x), f_.reshape(position_, {1, 1}), to_front(row)), {1, 2, 0, 3});
}

Var Speller::cached(Var x) {
  const Var row = f_.slice(x, {2}, {0}, {1});
  const Var indices = f_.broadcast(f_.reshape(position_, {1, 1, 1, 1}), row.shape());
  const Var cache = f_.state_write(cache_, f_.scatter_set(f_.state_read(cache_), indices, row, {.axis = 2}));
  return sum(x, f_.slice(cache, {2}, {1}, {2}));
}

Var Speller::linear(Var x) {
  const Var packed = f_.quantize(matrix_, {.bits = 8, .group = 32});
  const Var y = between_casts(f_.reshape(x, {s_ * 2, 32}), [&](Var rows) {
    const Var w = f_.dequantize(packed);
    return draw_.chance(50) ? f_.matmul(rows, w, {.transpose_b = true}) : f_.matmul(rows, f_.transpose(w, {1, 0}));
  });
  return f_.reshape(y, x.shape()) * 0.125;
}

Var Speller::conv(Var x) {
  const Var y = f_.conv(f_.reshape(x, {2, 4, s_ * 8}), kernel_);
  const Var normal = f_.batch_norm(y, statistic_, statistic_, {.weight = statistic_});
  return f_.reshape(f_.concatenate({normal, normal}, {.axis = 1}), x.shape());
}

Var Speller::expression(Var x) {
  switch (draw_.below(10)) {
    case 0: return between_casts(x, [&](Var y) { return layer_norm(y); });
    case 1: return between_casts(x, [&](Var y) { return rms_norm(perhaps_product(y)); });
    case 2: return between_casts(x, [&](Var y) { return softmax(y, draw_.chance(50)); });
    case 3: return between_casts(x, [&](Var y) { return attention(y); });
    case 4: return between_casts(x, [&](Var y) { return rope(y); });
    case 5: return update(x);
    case 6: return cached(x);
    case 7: return linear(x);
    case 8: return conv(x);
    default: return activation(perhaps_product(x));
  }
}

Program Speller::program() {
  Var x = f_.input("x", DType::f32, {2, 4, s_, 8});
  for (int i = 0; i < 3; ++i) {
    const Var y = expression(x);
    x = draw_.chance(40) ? sum(x, y) : y;
  }
  f_.output("y", x);
  Program program = builder_.build();
  Graph& graph = program.graphs[0];
  for (const Node& node : graph.nodes) {
    const DType dtype = graph.type(node.first_result).dtype;
    if (dtype == DType::packed || !draw_.chance(5)) continue;
    graph.outputs.push_back({fmt::format("part{}", node.first_result.id), node.first_result});
  }
  verify(program);
  return program;
}

// --------------------------------------------------------------------------------------------------------------- runs

// Relative to the largest of them; what is no number must be the same.
void expect_close(const Tensor& actual, const Tensor& expected, double tolerance) {
  ASSERT_EQ(actual.type(), expected.type());
  const auto a = numbers_of(actual), e = numbers_of(expected);
  double largest = 1;
  for (const double number : e) largest = std::isfinite(number) ? std::max(largest, std::abs(number)) : largest;
  for (size_t i = 0; i < e.size(); ++i) {
    ASSERT_FALSE(std::isnan(e[i])) << i;
    const bool close = a[i] == e[i] || std::abs(a[i] - e[i]) <= largest * tolerance;
    ASSERT_TRUE(close) << a[i] << " for " << e[i] << " at " << i;
  }
}

// Twice, so that what is written to state is read.
void expect_close(const Program& actual, const Program& expected, uint64_t seed, double tolerance) {
  std::mt19937 random(static_cast<uint32_t>(seed));
  const std::vector<DimEquation> equations{{Dim(expected.symbols[0]), 2 + static_cast<int64_t>(seed % 5), "S"}};
  const Bindings sizes = solve(equations);
  Runner of_actual(actual), of_expected(expected);
  const Graph& f = *expected.method("f");
  for (int run = 0; run < 2; ++run) {
    std::vector<Tensor> inputs;
    for (const Ref input : f.inputs) inputs.push_back(random_tensor(f.type(input), sizes, random));
    const auto a = of_actual.run("f", inputs), e = of_expected.run("f", inputs);
    ASSERT_EQ(a.size(), e.size());
    for (size_t i = 0; i < e.size(); ++i) expect_close(a[i], e[i], tolerance);
    for (size_t i = 0; i < of_expected.states().size(); ++i)
      expect_close(of_actual.states()[i], of_expected.states()[i], tolerance);
  }
}

constexpr std::string_view kFound[] = {"sigmoid_as_reciprocal",
                                       "sigmoid_as_quotient",
                                       "silu_as_product",
                                       "silu_as_quotient",
                                       "quick_gelu",
                                       "mish",
                                       "hard_swish",
                                       "gelu",
                                       "gelu_tanh",
                                       "layer_norm",
                                       "layer_norm_weight",
                                       "layer_norm_bias",
                                       "layer_norm_of_casts",
                                       "rms_norm",
                                       "rms_norm_weight",
                                       "rms_norm_of_casts",
                                       "softmax",
                                       "log_softmax",
                                       "softmax_of_casts",
                                       "attention",
                                       "causal_attention",
                                       "attention_of_casts",
                                       "rope_table",
                                       "rope_table_interleaved",
                                       "rope_of_halves",
                                       "rope_interleaved",
                                       "rope_of_part",
                                       "rope_table_of_casts",
                                       "update_of_scatter",
                                       "update_of_scatter_nd",
                                       "update_between_transposes",
                                       "state_update",
                                       "quantized_matmul",
                                       "quantized_matmul_of_casts",
                                       "conv_batch_norm"};

TEST(RandomRecognition, SameResultsOnAndOff) {
  constexpr uint64_t kSeeds = is_sanitized ? 200 : 600;
  std::set<std::string_view> applied;
  PassOptions options{.evaluate = reference::evaluate, .is_constant = every_weight};
  options.on_applied = [&](const Rule& rule, const Graph&, const Node&) { applied.insert(rule.name); };
  for (uint64_t seed = 0; seed < kSeeds && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const bool narrow = seed % 3 == 0;  // what is rounded to f16 differs by more
    const Program program = Speller(seed, narrow).program();
    Draw draw(seed);
    const Program longer = draw.chance(50) ? spelled_out(program, draw) : program;
    const Program optimized = optimize(longer, options);
    expect_close(optimized, program, seed, narrow ? 0x1p-6 : 0x1p-14);
    if (testing::Test::HasFailure()) ADD_FAILURE() << print(longer) << "\nbecame\n" << print(optimized);
  }
  for (const std::string_view rule : kFound) EXPECT_TRUE(applied.contains(rule)) << rule;
}

}  // namespace
}  // namespace ingot::test
