// Attention. Sizes by their usual letters: q [B,H,S,D], k [B,G,T,D], v [B,G,T,E], mask to [B,H,S,T].
#include <algorithm>
#include <cmath>
#include <limits>

#include "engines/reference/kernel.h"
#include "engines/reference/numbers.h"
#include "engines/reference/walk.h"

namespace ingot::reference {
namespace {

constexpr double kHidden = -std::numeric_limits<double>::infinity();

// A tensor of rank 4, or something that stretches to it.
template <class T>
struct Grid {
  View<T> view;
  Sizes strides;

  T operator()(int64_t a, int64_t b, int64_t c, int64_t d) const {
    return view[a * strides[0] + b * strides[1] + c * strides[2] + d * strides[3]];
  }
};

template <class T>
Grid<T> dense(View<T> view) {
  Sizes strides = strides_of(view.sizes());
  return {std::move(view), std::move(strides)};
}

// The mask as T, or `otherwise` everywhere where it is absent or of the other kind.
template <class T>
Grid<T> mask_of(const op::Attention& op, const Frame& frame, const Sizes& scores, T otherwise) {
  const bool wanted = op.mask && (frame.dtype(*op.mask) == DType::bool_) == std::is_same_v<T, bool>;
  if (!wanted) return {View<T>(otherwise), Sizes(4)};
  return {frame.in<T>(*op.mask), broadcast_strides(frame.sizes(*op.mask), scores)};
}

// The last key that query i sees is i, or i + T - S; key j is seen while 0 <= last - j < window.
bool causally_seen(const op::Attention& op, int64_t i, int64_t j, const Sizes& scores) {
  if (op.causal == Causal::none) return true;
  const int64_t last = op.causal == Causal::lower_right ? i + scores[3] - scores[2] : i;
  return j <= last && (!op.window || last - j < *op.window);
}

double capped(double score, const std::optional<double>& softcap) {
  return softcap ? *softcap * std::tanh(score / *softcap) : score;
}

// In place; false where every score is -inf: the row sees no key.
bool softmax(std::vector<double>& scores) {
  double top = kHidden, sum = 0;
  for (double score : scores) top = larger(top, score);
  if (top == kHidden) return false;
  for (double& score : scores) sum += score = std::exp(score - top);
  for (double& score : scores) score /= sum;
  return true;
}

}  // namespace

// softmax(cap(scale·q·kᵀ) + mask)·v, where hidden scores are -inf; 0 for a row that sees no key
static void kernel(const op::Attention& op, Frame& frame) {
  const DType dtype = frame.result_dtype();
  const auto q = dense(frame.in<double>(op.q, dtype)), k = dense(frame.in<double>(op.k, dtype)),
             v = dense(frame.in<double>(op.v, dtype));
  const auto y = frame.out();
  if (y.size() == 0) return;
  const int64_t heads = y.sizes()[1], s = y.sizes()[2], e = y.sizes()[3], t = k.view.sizes()[2], d = k.view.sizes()[3];
  const int64_t sharing = heads / k.view.sizes()[1];  // heads of q for each of k
  const double scale = op.scale ? *op.scale : 1 / std::sqrt(static_cast<double>(d));
  const Sizes scores{y.sizes()[0], heads, s, t};
  const auto seen = mask_of<bool>(op, frame, scores, true);
  const auto added = mask_of<double>(op, frame, scores, 0);
  frame.spend(element_count(scores), d + e);

  const auto score = [&](int64_t b, int64_t h, int64_t i, int64_t j) {
    if (!seen(b, h, i, j) || !causally_seen(op, i, j, scores)) return kHidden;
    double dot = 0;
    for (int64_t c = 0; c < d; ++c) dot += q(b, h, i, c) * k(b, h / sharing, j, c);
    return capped(scale * dot, op.softcap) + added(b, h, i, j);
  };
  auto weights = frame.scratch<double>(t);
  for (int64_t row = 0, rows = y.size() / e; row < rows; ++row) {
    const int64_t b = row / s / heads, h = row / s % heads, i = row % s;
    for (int64_t j = 0; j < t; ++j) weights[static_cast<size_t>(j)] = score(b, h, i, j);
    const bool sees = softmax(weights);
    for (int64_t c = 0; c < e; ++c) {
      double sum = 0;
      for (int64_t j = 0; sees && j < t; ++j) sum += weights[static_cast<size_t>(j)] * v(b, h / sharing, j, c);
      y.store(row * e + c, sum);
    }
  }
}

INGOT_KERNELS(attention)

}  // namespace ingot::reference
