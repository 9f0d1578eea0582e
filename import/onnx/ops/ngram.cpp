// TfIdfVectorizer on integers: how often each n-gram of a pool occurs in the rows of x.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "import/onnx/handlers.h"
#include "import/onnx/sizes.h"

namespace ingot::onnx {
namespace {

// The n-grams of one length, and where their counts go in the result.
struct Grams {
  std::vector<std::vector<int64_t>> items;
  std::vector<int64_t> places;
};

using Pool = std::map<int64_t, Grams>;  // by length

// Of x that are compared for the n-grams of one length.
constexpr int64_t kMostSlices = 4096;

// ngram_counts[n-1] is where the n-grams begin in the pool. Of equal ones the last counts.
Pool pool_of(Node& node, int64_t shortest, int64_t longest) {
  const auto pool = node.integers("pool_int64s"), starts = node.integers("ngram_counts");
  const auto indexes = node.integers("ngram_indexes");
  if (!pool) throw Unsupported("the pool is of strings");
  if (!starts || !indexes) node.malformed("ngram_counts or ngram_indexes", "missing", "ints");
  for (const int64_t index : *indexes) {
    if (index >= 0 && index < std::numeric_limits<int32_t>::max()) continue;
    node.malformed("ngram_indexes", fmt::format("{}", index), "0..2147483646");
  }
  Pool grams;
  std::map<std::vector<int64_t>, int64_t> places;
  size_t id = 0;
  for (size_t n = 1; n <= starts->size(); ++n) {
    const int64_t first = (*starts)[n - 1];
    const int64_t last = n < starts->size() ? (*starts)[n] : static_cast<int64_t>(pool->size());
    // Ascending, so that no part of the pool is read twice.
    if (first < 0 || last < first || last > static_cast<int64_t>(pool->size())) {
      node.malformed("ngram_counts", fmt::format("{}..{}", first, last), fmt::format("0..{}", pool->size()));
    }
    for (int64_t at = first; at + static_cast<int64_t>(n) <= last; at += static_cast<int64_t>(n), ++id) {
      if (id >= indexes->size()) node.malformed("ngram_indexes", "too short", "one for each n-gram");
      const auto begin = pool->begin() + at;
      const auto length = static_cast<int64_t>(n);
      if (length >= shortest && length <= longest) places[{begin, begin + length}] = (*indexes)[id];
    }
  }
  for (const auto& [gram, place] : places) {
    Grams& same = grams[static_cast<int64_t>(gram.size())];
    same.items.push_back(gram);
    same.places.push_back(place);
  }
  return grams;
}

// How often each of the n-grams occurs in rows [N, C] with `step` between its elements: f32[N, grams]
Var counts_of(Node& node, Var rows, const Grams& grams, int64_t length, int64_t step) {
  GraphBuilder& graph = rows.graph();
  const auto count = static_cast<int64_t>(grams.items.size());
  const Dim reach = Dim(length - 1) * step, positions = max(rows.dim(1) - reach, 0);
  std::optional<Var> found;
  for (int64_t i = 0; i < length; ++i) {
    std::vector<int64_t> wanted;
    for (const auto& gram : grams.items) wanted.push_back(gram[static_cast<size_t>(i)]);
    const Var list = node.as_var(Constant{tensor_of(DType::i64, {count}, wanted), "ngrams"});
    const Dim start = min(Dim(i) * step, rows.dim(1) - positions);
    const Var part = unsqueeze(graph.slice(rows, {1}, {start}, {start + positions}), {2});
    const Var equal = graph.eq(part, list);
    found = found ? graph.logical_and(*found, equal) : equal;
  }
  return graph.reduce_sum(graph.cast(*found, DType::f32), {1});
}

void tfidf(Node& node, GraphBuilder& graph) {
  enum class Mode { count, present, weighted };
  const Mode mode =
      node.choice<Mode>("mode", "", {{"TF", Mode::count}, {"IDF", Mode::present}, {"TFIDF", Mode::weighted}});
  const int64_t shortest = node.integer("min_gram_length"), longest = node.integer("max_gram_length");
  const int64_t skips = node.integer("max_skip_count");
  const Pool pool = pool_of(node, shortest, longest);
  const std::vector<int64_t> indexes = *node.integers("ngram_indexes");
  const int64_t size = indexes.empty() ? 0 : *std::ranges::max_element(indexes) + 1;

  const Var x = node.input(0);
  if (!is_integer(x.dtype())) throw Unsupported(fmt::format("the input is {}", to_string(x.type())));
  if (x.type().rank() != 1 && x.type().rank() != 2) node.malformed("the input", to_string(x.type()), "rank 1 or 2");
  const Var rows = graph.cast(x.type().rank() == 1 ? unsqueeze(x, {0}) : x, DType::i64);
  Var y = graph.full({rows.dim(0), size}, 0.0);
  for (const auto& [length, grams] : pool) {
    if (skips < 0 || skips > kMostSlices / length - 1) {
      throw Unsupported(fmt::format("attribute max_skip_count is {} for n-grams of {}", skips, length));
    }
    const Shape shape{rows.dim(0), static_cast<int64_t>(grams.items.size())};
    const Var places = node.as_var(tensor_of(DType::i64, {static_cast<int64_t>(grams.places.size())}, grams.places));
    // Single elements do not know skips.
    for (int64_t skip = 0; skip <= (length == 1 ? 0 : skips); ++skip) {
      const Var counts = counts_of(node, rows, grams, length, skip + 1);
      y = graph.scatter_add(y, broadcast_to(places, shape), counts, {.axis = 1});
    }
  }
  if (mode == Mode::present) y = graph.cast(graph.gt(y, graph.scalar(0.0, DType::f32)), DType::f32);
  if (const auto weights = node.reals("weights"); weights && mode != Mode::count) {
    const std::vector<float> list(weights->begin(), weights->end());
    const Tensor tensor = Tensor::of<float>({static_cast<int64_t>(list.size())}, list);
    y = y * ensure(node.as_var(Constant{tensor, "weights"}), {size});
  }
  node.set(0, x.type().rank() == 1 ? squeeze(y, {0}) : y);
}

constexpr Handler rows[] = {
    {"TfIdfVectorizer", 9, tfidf},
};

}  // namespace

std::span<const Handler> ngram_handlers() { return rows; }

}  // namespace ingot::onnx
