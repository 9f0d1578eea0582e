// What a decoder does between its layers. Numbers in double; ties go to the lowest index, and NaN comes first.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "engines/reference/activation.h"
#include "engines/reference/kernel.h"
#include "engines/reference/numbers.h"
#include "engines/reference/random.h"

namespace ingot::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The positions of `values`, the largest first.
void rank(std::span<const double> values, std::span<int64_t> positions) {
  std::iota(positions.begin(), positions.end(), int64_t{0});
  std::sort(positions.begin(), positions.end(), [&](int64_t i, int64_t j) {
    const double a = values[static_cast<size_t>(i)], b = values[static_cast<size_t>(j)];
    return sorts_before(b, a) || (!sorts_before(a, b) && i < j);
  });
}

// ------------------------------------------------------------------------------------------------------------- sample

// logits / temperature below their largest, which is 0; so nothing overflows.
void temper(std::span<double> logits, double temperature) {
  double top = -kInfinity;
  for (double logit : logits) top = larger(top, logit);
  for (double& logit : logits) logit = logit == top ? 0 : (logit - top) / temperature;
}

// How many of the ranked tokens are left by top_k, then top_p, then min_p; at least one.
size_t kept(const op::Sample& op, std::span<const double> logits, std::span<const int64_t> ranked) {
  const auto power = [&](size_t n) { return std::exp(logits[static_cast<size_t>(ranked[n])]); };
  size_t count = op.top_k ? static_cast<size_t>(*op.top_k) : ranked.size();
  if (op.top_p < 1) {
    double total = 0, mass = 0;
    for (size_t n = 0; n < count; ++n) total += power(n);
    size_t n = 0;
    while (n < count && mass < op.top_p * total) mass += power(n++);
    count = n;
  }
  while (count > 1 && power(count - 1) < op.min_p) --count;
  return count;
}

// ---------------------------------------------------------------------------------------------------------------- moe

void score(RouterFn fn, std::span<double> logits) {
  if (fn == RouterFn::sigmoid) {
    for (double& x : logits) x = sigmoid(x);
    return;
  }
  double top = -kInfinity, sum = 0;
  for (double x : logits) top = larger(top, x);
  for (double& x : logits) sum += x = std::exp(x - top);
  for (double& x : logits) x /= sum;
}

// The sum of the two best scores of a group, or of one.
double group_score(std::span<const double> scores) {
  double best = -kInfinity, second = -kInfinity;
  for (double score : scores) {
    second = larger(second, smaller(best, score));
    best = larger(best, score);
  }
  return scores.size() < 2 ? best : best + second;
}

}  // namespace

// argmax, or argmax(logits / temperature + Gumbel noise) over the tokens that are left
static void kernel(const op::Sample& op, Frame& frame) {
  const auto logits = frame.in(op.logits);
  const Words words(frame.in<uint64_t>(op.key));
  const auto y = frame.out<int64_t>();
  if (y.size() == 0) return;
  frame.spend(logits.size());
  const int64_t n = logits.sizes().back();
  auto row = frame.scratch<double>(n);
  auto ranked = frame.scratch<int64_t>(n);
  for (int64_t r = 0, rows = y.size(); r < rows; ++r) {
    for (size_t i = 0; i < row.size(); ++i) row[i] = logits[r * n + static_cast<int64_t>(i)];
    rank(row, ranked);
    int64_t token = ranked[0];
    if (op.temperature > 0 && !std::isnan(row[static_cast<size_t>(token)])) {
      temper(row, op.temperature);
      double best = -kInfinity;
      for (int64_t i : std::span(ranked).first(kept(op, row, ranked))) {
        const double noisy = row[static_cast<size_t>(i)] + gumbel_element(words, r * n + i, frame.dtype(op.logits));
        if (noisy < best || (noisy == best && i > token)) continue;
        best = noisy;
        token = i;
      }
    }
    y.store(r, token);
  }
}

// The k best of score + bias among the best groups; weights are their scores, which `normalize` divides by their sum
static void kernel(const op::MoeRoute& op, Frame& frame) {
  const auto logits = frame.in(op.logits), bias = frame.in_or(op.bias, 0);
  const auto weights = frame.out(0);
  const auto experts = frame.out<int64_t>(1);
  if (experts.size() == 0) return;
  frame.spend(logits.size());
  const int64_t rows = logits.sizes()[0], n = logits.sizes()[1];
  const auto group = static_cast<size_t>(n / op.groups), taken = static_cast<size_t>(op.top_groups);
  auto scores = frame.scratch<double>(n), choice = frame.scratch<double>(n), groups = frame.scratch<double>(op.groups);
  auto ranked = frame.scratch<int64_t>(n), ranked_groups = frame.scratch<int64_t>(op.groups);
  auto chosen = frame.scratch<int64_t>(op.k);
  for (int64_t r = 0; r < rows; ++r) {
    for (size_t i = 0; i < scores.size(); ++i) scores[i] = logits[r * n + static_cast<int64_t>(i)];
    score(op.fn, scores);
    for (size_t i = 0; i < scores.size(); ++i) choice[i] = scores[i] + bias[static_cast<int64_t>(i)];
    for (size_t g = 0; g < groups.size(); ++g) groups[g] = group_score(std::span(choice).subspan(g * group, group));
    rank(groups, ranked_groups);
    std::sort(ranked_groups.begin(), ranked_groups.begin() + op.top_groups);
    rank(choice, ranked);
    // The best that lie in a group that takes part.
    const auto part = std::span(ranked_groups).first(taken);
    double sum = 0;
    for (size_t i = 0, count = 0; count < chosen.size(); ++i) {
      if (!std::ranges::binary_search(part, ranked[i] / static_cast<int64_t>(group))) continue;
      chosen[count++] = ranked[i];
      sum += scores[static_cast<size_t>(ranked[i])];
    }
    for (int64_t j = 0; j < op.k; ++j) {
      const int64_t expert = chosen[static_cast<size_t>(j)];
      const double weight = scores[static_cast<size_t>(expert)];
      weights.store(r * op.k + j, (op.normalize && sum != 0 ? weight / sum : weight) * op.scale);
      experts.store(r * op.k + j, expert);
    }
  }
}

// Σ over k of weights · x
static void kernel(const op::MoeCombine& op, Frame& frame) {
  const auto x = frame.in(op.x), weights = frame.in(op.weights);
  const auto y = frame.out();
  frame.spend(x.size());
  if (y.size() == 0) return;
  const int64_t k = x.sizes()[1], d = x.sizes()[2];
  for (int64_t i = 0, n = y.size(); i < n; ++i) {
    double sum = 0;
    for (int64_t j = 0; j < k; ++j) sum += weights[i / d * k + j] * x[(i / d * k + j) * d + i % d];
    y.store(i, sum);
  }
}

INGOT_KERNELS(decode)

}  // namespace ingot::reference
