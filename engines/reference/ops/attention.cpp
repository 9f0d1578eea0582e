// Attention and rotary embeddings. Sizes by their usual letters: q [B,H,S,D], k [B,G,T,D], v [B,G,T,E], mask to [B,H,S,T].
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "engines/reference/indexing.h"
#include "engines/reference/kernel.h"
#include "engines/reference/numbers.h"
#include "engines/reference/walk.h"
#include "program/error.h"

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

// Whether a query sees key j when `last` is the last that it may see.
bool sees(int64_t last, int64_t j, const std::optional<int64_t>& window) {
  return j <= last && (!window || last - j < *window);
}

// The last key that query i may see, by the alignment.
int64_t last_key(const op::Attention& op, int64_t i, int64_t queries, int64_t keys) {
  return op.causal == Causal::lower_right ? i + keys - queries : i;
}

double capped(double score, const std::optional<double>& softcap) {
  return softcap ? *softcap * std::tanh(score / *softcap) : score;
}

// In place; false where every score is -inf: the row sees no key. The sink takes its share of every other row.
bool softmax(std::span<double> scores, double sink) {
  double top = kHidden;
  for (double score : scores) top = larger(top, score);
  if (top == kHidden) return false;
  top = larger(top, sink);
  double sum = std::exp(sink - top);
  for (double& score : scores) sum += score = std::exp(score - top);
  for (double& score : scores) score /= sum;
  return true;
}

double scale_of(const std::optional<double>& scale, int64_t d) {
  return scale ? *scale : 1 / std::sqrt(static_cast<double>(d));
}

// The pages of the keys of each batch. Entries beyond its length are not read.
View<int64_t> table_of(const op::PagedAttention& op, Frame& frame, const View<int64_t>& lengths, const Sizes& k) {
  const View<int64_t> table = frame.indices(op.table);
  const int64_t width = table.sizes()[1];
  frame.spend(table.size());
  for (int64_t b = 0, n = lengths.size(); b < n; ++b) {
    const int64_t used = lengths[b] == 0 ? 0 : (lengths[b] - 1) / k[1] + 1;
    for (int64_t i = 0; i < used; ++i) {
      const int64_t page = table[b * width + i];
      if (0 <= page && page < k[0]) continue;
      throw Error::mismatch(Code::out_of_range, "", fmt::format("page {} of batch {}", i, b), fmt::format("{}", page),
                            fmt::format("0..{}", k[0] - 1));
    }
  }
  return table;
}

// --------------------------------------------------------------------------------------------------------------- rope

Sizes without_last(const Sizes& sizes) { return {sizes.begin(), sizes.end() - 1}; }

// x with pair i of every row turned: (a, b) becomes (a·cos - b·sin, b·cos + a·sin). Pairs are (x_i, x_(i+pairs)), or
// interleaved (x_2i, x_(2i+1)).
struct Turn {
  const View<double>& x;
  const Out<double>& y;
  int64_t pairs;
  bool interleaved;

  void pair(int64_t row, int64_t i, double cos, double sin) const {
    const int64_t first = row * x.sizes().back() + (interleaved ? 2 * i : i),
                  second = first + (interleaved ? 1 : pairs);
    const double a = x[first], b = x[second];
    y.store(first, a * cos - b * sin);
    y.store(second, b * cos + a * sin);
  }
  void rest(int64_t row) const {
    const int64_t last = x.sizes().back();
    for (int64_t i = row * last + 2 * pairs; i < (row + 1) * last; ++i) y.store(i, x[i]);
  }
};

// Where the position of each pair stands behind that of the first section, whose entries are `entry` elements apart.
Scratch<int64_t> section_starts(const op::Rope& op, const Frame& frame, int64_t pairs, int64_t entry) {
  Scratch<int64_t> starts = frame.scratch<int64_t>(pairs);
  size_t pair = 0;
  for (size_t section = 0; section < op.sections.size(); ++section) {
    for (int64_t i = 0; i < op.sections[section]; ++i) starts[pair++] = static_cast<int64_t>(section) * entry;
  }
  return starts;
}

}  // namespace

// softmax(cap(scale·q·kᵀ) + mask)·v, where hidden scores are -inf; 0 for a row that sees no key
static void kernel(const op::Attention& op, Frame& frame) {
  const DType dtype = frame.result_dtype();
  const auto q = dense(frame.in<double>(op.q, dtype)), k = dense(frame.in<double>(op.k, dtype)),
             v = dense(frame.in<double>(op.v, dtype));
  const auto sinks = frame.in_or(op.sinks, kHidden);
  const auto y = frame.out();
  const int64_t heads = y.sizes()[1], s = y.sizes()[2], e = y.sizes()[3], t = k.view.sizes()[2], d = k.view.sizes()[3];
  const auto lengths = lengths_of(frame, op.lengths, t);
  if (y.size() == 0) return;
  const int64_t sharing = heads / k.view.sizes()[1];  // heads of q for each of k
  const double scale = scale_of(op.scale, d);
  const Sizes scores{y.sizes()[0], heads, s, t};
  const auto seen = mask_of<bool>(op, frame, scores, true);
  const auto added = mask_of<double>(op, frame, scores, 0);
  frame.spend(element_count(scores), d + e);

  const auto score = [&](int64_t b, int64_t h, int64_t i, int64_t j) {
    const bool causal = op.causal == Causal::none || sees(last_key(op, i, s, lengths[b]), j, op.window);
    if (!causal || j >= lengths[b] || !seen(b, h, i, j)) return kHidden;
    double dot = 0;
    for (int64_t c = 0; c < d; ++c) dot += q(b, h, i, c) * k(b, h / sharing, j, c);
    return capped(scale * dot, op.softcap) + added(b, h, i, j);
  };
  auto weights = frame.scratch<double>(t);
  for (int64_t row = 0, rows = y.size() / e; row < rows; ++row) {
    const int64_t b = row / s / heads, h = row / s % heads, i = row % s;
    for (int64_t j = 0; j < t; ++j) weights[static_cast<size_t>(j)] = score(b, h, i, j);
    const bool any = softmax(weights, sinks[h]);
    for (int64_t c = 0; c < e; ++c) {
      double sum = 0;
      for (int64_t j = 0; any && j < t; ++j) sum += weights[static_cast<size_t>(j)] * v(b, h / sharing, j, c);
      y.store(row * e + c, sum);
    }
  }
}

// The same, where key j of batch b is row j mod page of page table[b, j / page], and query i is number length - S + i
static void kernel(const op::PagedAttention& op, Frame& frame) {
  const DType dtype = frame.result_dtype();
  const auto q = dense(frame.in<double>(op.q, dtype)), k = dense(frame.in<double>(op.k, dtype)),
             v = dense(frame.in<double>(op.v, dtype));
  const auto sinks = frame.in_or(op.sinks, kHidden);
  const auto y = frame.out();
  const Sizes& pages = k.view.sizes();
  const int64_t heads = y.sizes()[1], s = y.sizes()[2], e = y.sizes()[3], page = pages[1], d = pages[3];
  const int64_t width = frame.sizes(op.table)[1];
  const auto lengths = lengths_of(frame, op.lengths, element_count(Sizes{width, page}));
  const auto table = table_of(op, frame, lengths, pages);
  if (y.size() == 0) return;
  const int64_t sharing = heads / pages[2];
  const double scale = scale_of(op.scale, d);
  int64_t longest = 0;
  for (int64_t b = 0; b < lengths.size(); ++b) {
    longest = std::max(longest, lengths[b]);
    frame.spend(element_count(Sizes{heads, s, lengths[b]}), d + e);
  }

  auto scratch = frame.scratch<double>(longest);
  for (int64_t row = 0, rows = y.size() / e; row < rows; ++row) {
    const int64_t b = row / s / heads, h = row / s % heads, i = row % s, g = h / sharing;
    const auto weights = std::span(scratch).first(static_cast<size_t>(lengths[b]));
    const auto of = [&](const Grid<double>& grid, size_t j, int64_t c) {
      const auto key = static_cast<int64_t>(j);
      return grid(table[b * width + key / page], key % page, g, c);
    };
    for (size_t j = 0; j < weights.size(); ++j) {
      double dot = 0;
      for (int64_t c = 0; c < d; ++c) dot += q(b, h, i, c) * of(k, j, c);
      const bool seen = !op.causal || sees(i + lengths[b] - s, static_cast<int64_t>(j), op.window);
      weights[j] = seen ? capped(scale * dot, op.softcap) : kHidden;
    }
    const bool any = softmax(weights, sinks[h]);
    for (int64_t c = 0; c < e; ++c) {
      double sum = 0;
      for (size_t j = 0; any && j < weights.size(); ++j) sum += weights[j] * of(v, j, c);
      y.store(row * e + c, sum);
    }
  }
}

// pair i turned by the angle position·scale·freqs[i]
static void kernel(const op::Rope& op, Frame& frame) {
  const auto x = frame.in(op.x), positions = frame.in<double>(op.positions, DType::f64);
  const auto y = frame.out();
  if (x.size() == 0) return;
  const int64_t dims = op.dims.value_or(x.sizes().back());
  const Turn turn{x, y, dims / 2, op.interleaved};
  const Sizes lead = without_last(x.sizes());
  const Sizes entry(positions.sizes().begin() + (op.sections.empty() ? 0 : 1), positions.sizes().end());
  const auto starts = section_starts(op, frame, turn.pairs, element_count(entry));
  const auto given = frame.in_or(op.freqs, 0);
  auto freqs = frame.scratch<double>(turn.pairs);
  for (size_t i = 0; i < freqs.size(); ++i) {
    const double own = std::pow(op.base, -2 * static_cast<double>(i) / static_cast<double>(dims));
    freqs[i] = op.freqs ? given[static_cast<int64_t>(i)] : own;
  }
  walk(
      lead,
      [&](int64_t row, int64_t at) {
        for (size_t i = 0; i < freqs.size(); ++i) {
          const double angle = positions[at + starts[i]] * op.scale * freqs[i];
          turn.pair(row, static_cast<int64_t>(i), std::cos(angle), std::sin(angle));
        }
        turn.rest(row);
      },
      broadcast_strides(entry, lead));
}

// pair i turned by the angle of cos[i] and sin[i]
static void kernel(const op::RopeTable& op, Frame& frame) {
  const auto x = frame.in(op.x), cos = frame.in(op.cos), sin = frame.in(op.sin);
  const auto y = frame.out();
  if (x.size() == 0) return;
  const Turn turn{x, y, cos.sizes().back(), op.interleaved};
  const Sizes lead = without_last(x.sizes());
  walk(
      lead,
      [&](int64_t row, int64_t at_cos, int64_t at_sin) {
        for (int64_t i = 0; i < turn.pairs; ++i) {
          turn.pair(row, i, cos[at_cos * turn.pairs + i], sin[at_sin * turn.pairs + i]);
        }
        turn.rest(row);
      },
      broadcast_strides(without_last(cos.sizes()), lead), broadcast_strides(without_last(sin.sizes()), lead));
}

INGOT_KERNELS(attention)

}  // namespace ingot::reference
