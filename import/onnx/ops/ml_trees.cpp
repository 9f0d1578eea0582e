// ai.onnx.ml: ensembles of trees. Every row walks down all trees at once: a loop carries the node that it has reached
// in each, and a leaf is a node that leads to itself.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "import/onnx/handlers.h"
#include "import/onnx/ml.h"
#include "import/onnx/sizes.h"
#include "program/decompose.h"

namespace ingot::onnx {
namespace {

// ------------------------------------------------------------------------------------------------------------- forest

enum class Mode : uint8_t { leq, lt, gte, gt, eq, neq, leaf };
constexpr std::string_view mode_names[] = {"BRANCH_LEQ", "BRANCH_LT",  "BRANCH_GTE", "BRANCH_GT",
                                           "BRANCH_EQ",  "BRANCH_NEQ", "LEAF"};
constexpr CompareFn comparisons[] = {CompareFn::le, CompareFn::lt, CompareFn::ge,
                                     CompareFn::gt, CompareFn::eq, CompareFn::ne};

struct Vote {
  size_t node;
  int64_t target;
  double weight;
};

struct Forest {
  std::vector<Mode> modes;
  std::vector<int64_t> features, on_true, on_false, missing_true;
  std::vector<double> thresholds;
  std::vector<int64_t> roots;
  std::vector<Vote> votes;

  size_t size() const { return modes.size(); }
  void append(Mode mode, int64_t feature, double threshold, int64_t if_true, int64_t if_false) {
    modes.push_back(mode);
    features.push_back(feature);
    thresholds.push_back(threshold);
    missing_true.push_back(0);
    on_true.push_back(if_true);
    on_false.push_back(if_false);
  }
  bool has(Mode mode) const { return std::ranges::find(modes, mode) != modes.end(); }
};

// How many steps lead to the deepest leaf. Throws where children lead back. Children may be shared.
int64_t depth_of(const Node& node, const Forest& forest) {
  std::vector<int64_t> depths(forest.size()), parents(forest.size());
  const auto each_child = [&](size_t at, auto f) {
    if (forest.modes[at] == Mode::leaf) return;
    f(static_cast<size_t>(forest.on_true[at]));
    f(static_cast<size_t>(forest.on_false[at]));
  };
  for (size_t i = 0; i < forest.size(); ++i) each_child(i, [&](size_t child) { ++parents[child]; });
  std::vector<size_t> ready;
  for (size_t i = 0; i < forest.size(); ++i) {
    if (parents[i] == 0) ready.push_back(i);
  }
  for (size_t next = 0; next < ready.size(); ++next) {
    each_child(ready[next], [&](size_t child) {
      depths[child] = std::max(depths[child], depths[ready[next]] + 1);
      if (--parents[child] == 0) ready.push_back(child);
    });
  }
  if (ready.size() != forest.size()) node.malformed("the children of nodes", "a circle", "trees");
  return forest.size() == 0 ? 0 : *std::ranges::max_element(depths);
}

void check_lengths(const Node& node, size_t count, std::initializer_list<size_t> lengths) {
  for (const size_t length : lengths) {
    if (length != count) node.malformed("lists of nodes", fmt::format("{} and {}", count, length), "of one length");
  }
}

std::vector<int64_t> integers_in(Node& node, std::string_view name) {
  auto list = node.integers(name);
  if (!list) node.malformed(fmt::format("attribute {}", name), "missing", "ints");
  return *std::move(list);
}

// A list of reals, which newer versions may also give as a tensor.
std::vector<double> reals_in(Node& node, const std::string& name, const std::string& tensor) {
  if (const auto list = node.reals(name)) return *list;
  if (!tensor.empty()) {
    const auto given = node.tensor(tensor);
    if (given && !is_real(given->dtype())) node.malformed(tensor, to_string(given->type()), "reals");
    if (given) return reals_of(*given);
  }
  return {};
}

// Nodes by tree and id, with children by id within the tree.
Forest forest_of(Node& node, const std::string& votes) {
  const std::vector<int64_t> trees = integers_in(node, "nodes_treeids"), ids = integers_in(node, "nodes_nodeids");
  const std::vector<int64_t> on_true = integers_in(node, "nodes_truenodeids");
  const std::vector<int64_t> on_false = integers_in(node, "nodes_falsenodeids");
  const auto modes = node.texts("nodes_modes");
  node.ignore("nodes_hitrates", "for speed");
  node.ignore("nodes_hitrates_as_tensor", "for speed");
  const size_t count = ids.size();
  Forest forest;
  forest.features = integers_in(node, "nodes_featureids");
  forest.thresholds = reals_in(node, "nodes_values", "nodes_values_as_tensor");
  forest.missing_true = node.integers("nodes_missing_value_tracks_true").value_or(std::vector<int64_t>(count));
  if (forest.missing_true.empty()) forest.missing_true.resize(count);
  check_lengths(node, count,
                {trees.size(), on_true.size(), on_false.size(), modes ? modes->size() : 0, forest.features.size(),
                 forest.thresholds.size(), forest.missing_true.size()});
  std::map<std::pair<int64_t, int64_t>, int64_t> places;
  std::vector<bool> is_child(count);
  for (size_t i = 0; i < count; ++i) {
    const auto mode = std::ranges::find(mode_names, (*modes)[i]);
    if (mode == std::end(mode_names)) throw Unsupported(fmt::format("a node is {}", (*modes)[i]));
    forest.modes.push_back(static_cast<Mode>(mode - std::begin(mode_names)));
    if (!places.emplace(std::pair(trees[i], ids[i]), static_cast<int64_t>(i)).second) {
      node.malformed("nodes", fmt::format("{} of tree {} twice", ids[i], trees[i]), "each once");
    }
  }
  const auto place = [&](int64_t tree, int64_t id) {
    const auto found = places.find({tree, id});
    if (found == places.end()) node.malformed("a child", fmt::format("{} of tree {}", id, tree), "one of the nodes");
    return found->second;
  };
  for (size_t i = 0; i < count; ++i) {
    const bool leaf = forest.modes[i] == Mode::leaf;
    forest.on_true.push_back(leaf ? static_cast<int64_t>(i) : place(trees[i], on_true[i]));
    forest.on_false.push_back(leaf ? static_cast<int64_t>(i) : place(trees[i], on_false[i]));
    if (leaf) forest.features[i] = 0;  // which is read and says nothing
    if (leaf) continue;
    is_child[static_cast<size_t>(forest.on_true[i])] = is_child[static_cast<size_t>(forest.on_false[i])] = true;
  }
  for (size_t i = 0; i < count; ++i) {
    if (!is_child[i]) forest.roots.push_back(static_cast<int64_t>(i));
  }
  const std::vector<int64_t> vote_trees = integers_in(node, votes + "_treeids"),
                             vote_ids = integers_in(node, votes + "_nodeids");
  const std::vector<int64_t> targets = integers_in(node, votes + "_ids");
  const std::vector<double> weights = reals_in(node, votes + "_weights", votes + "_weights_as_tensor");
  check_lengths(node, targets.size(), {vote_trees.size(), vote_ids.size(), weights.size()});
  for (size_t i = 0; i < targets.size(); ++i) {
    forest.votes.push_back({static_cast<size_t>(place(vote_trees[i], vote_ids[i])), targets[i], weights[i]});
  }
  return forest;
}

// A node that asks whether a value is in a set becomes a chain that asks for its members one by one.
void replace_sets(Node& node, Forest& forest, const std::vector<size_t>& sets) {
  const auto given = sets.empty() ? std::nullopt : node.tensor("membership_values");
  if (sets.empty()) return node.ignore("membership_values", "no node has a set");
  const std::vector<double> values = given && is_real(given->dtype()) ? reals_of(*given) : std::vector<double>{};
  auto next = values.begin();
  for (const size_t at : sets) {
    const auto end = std::find_if(next, values.end(), [](double x) { return std::isnan(x); });
    if (next == end) node.malformed("membership_values", "too short", "a set for each node that has one");
    const int64_t if_false = forest.on_false[at];
    forest.modes[at] = Mode::eq;
    forest.thresholds[at] = *next;
    size_t last = at;
    for (++next; next != end; ++next) {
      forest.on_false[last] = static_cast<int64_t>(forest.size());
      last = forest.size();
      forest.append(Mode::eq, forest.features[at], *next, forest.on_true[at], if_false);
    }
    if (next != values.end()) ++next;
  }
}

// Version 5 of the domain keeps leaves in lists of their own; here they follow the other nodes.
Forest forest_of_lists(Node& node) {
  node.ignore("nodes_hitrates", "for speed");
  const auto modes = node.tensor("nodes_modes"), splits = node.tensor("nodes_splits"),
             weights = node.tensor("leaf_weights");
  if (!modes || !splits || !weights || !is_integer(modes->dtype()) || !is_real(splits->dtype()) ||
      !is_real(weights->dtype())) {
    node.malformed("nodes_modes, nodes_splits or leaf_weights", "missing or of another dtype", "there");
  }
  Forest forest;
  forest.features = integers_in(node, "nodes_featureids");
  forest.thresholds = reals_of(*splits);
  forest.roots = integers_in(node, "tree_roots");
  const size_t count = forest.features.size();
  const std::vector<int64_t> targets = integers_in(node, "leaf_targetids");
  const std::vector<double> leaf_weights = reals_of(*weights);
  check_lengths(node, targets.size(), {leaf_weights.size()});
  forest.missing_true = node.integers("nodes_missing_value_tracks_true").value_or(std::vector<int64_t>(count));
  const auto child = [&](std::string_view ids, std::string_view leafs) {
    std::vector<int64_t> places = integers_in(node, ids);
    const std::vector<int64_t> is_leaf = integers_in(node, leafs);
    check_lengths(node, count, {places.size(), is_leaf.size()});
    for (size_t i = 0; i < count; ++i) {
      const int64_t limit = static_cast<int64_t>(is_leaf[i] != 0 ? targets.size() : count);
      if (places[i] < 0 || places[i] >= limit)
        node.malformed(ids, fmt::format("{}", places[i]), fmt::format("0..{}", limit - 1));
      if (is_leaf[i] != 0) places[i] += static_cast<int64_t>(count);
    }
    return places;
  };
  forest.on_true = child("nodes_truenodeids", "nodes_trueleafs");
  forest.on_false = child("nodes_falsenodeids", "nodes_falseleafs");
  for (const int64_t mode : integers_of(*modes)) {
    if (mode < 0 || mode > 6) node.malformed("nodes_modes", fmt::format("{}", mode), "0..6");
    forest.modes.push_back(static_cast<Mode>(mode));
  }
  check_lengths(node, count, {forest.modes.size(), forest.thresholds.size(), forest.missing_true.size()});
  for (const int64_t root : forest.roots) {
    if (root < 0 || root >= static_cast<int64_t>(count))
      node.malformed("tree_roots", fmt::format("{}", root), "a node");
  }
  // A code that means leaves here stands for sets there.
  std::vector<size_t> sets;
  for (size_t i = 0; i < count; ++i) {
    if (forest.modes[i] == Mode::leaf) sets.push_back(i);
  }
  for (size_t i = 0; i < targets.size(); ++i) {
    const auto at = static_cast<int64_t>(forest.size());
    forest.append(Mode::leaf, 0, 0, at, at);
    forest.votes.push_back({static_cast<size_t>(at), targets[i], leaf_weights[i]});
  }
  replace_sets(node, forest, sets);
  return forest;
}

// ---------------------------------------------------------------------------------------------------------------- walk

// Whether the rows go to the true child, where they are: bool like `at`.
Var turns_true(const Forest& forest, Var value, Var threshold, const std::optional<Var>& modes,
               const std::optional<Var>& missing) {
  GraphBuilder& graph = value.graph();
  std::optional<Var> turns;
  for (size_t mode = 0; mode < std::size(comparisons); ++mode) {
    if (!forest.has(static_cast<Mode>(mode))) continue;
    const Var holds = graph.add(op::Compare{.fn = comparisons[mode], .a = value.ref(), .b = threshold.ref()})[0];
    if (!turns) {
      turns = holds;
    } else {
      turns = graph.select(graph.eq(*modes, graph.scalar(static_cast<int64_t>(mode), DType::i64)), holds, *turns);
    }
  }
  if (!missing) return *turns;
  return graph.logical_or(*turns,
                          graph.logical_and(graph.isnan(value), graph.ne(*missing, graph.scalar(0, DType::i64))));
}

// The leaf that each row of x [N, F] reaches in each tree: i64 [N, T].
Var leaves_of(Node& node, const Forest& forest, Var x) {
  GraphBuilder& graph = node.graph();
  const int64_t depth = depth_of(node, forest);
  const auto trees = static_cast<int64_t>(forest.roots.size());
  const Shape shape{x.dim(0), trees};
  const Var start = broadcast_to(constant_integers(node, forest.roots), shape);
  if (depth == 0) return start;
  for (const int64_t feature : forest.features) {
    if (feature < 0 || less_equal(x.dim(1), Dim(feature)) == Proof::yes) {
      node.malformed("a feature", fmt::format("{}", feature), fmt::format("one of {}", to_string(x.dim(1))));
    }
  }
  const auto size = static_cast<int64_t>(forest.size());
  std::vector<Var> tables{x, constant_integers(node, forest.features),
                          constant_reals(node, forest.thresholds, {size}, x.dtype()),
                          constant_integers(node, forest.on_true), constant_integers(node, forest.on_false)};
  size_t modes = 0;
  for (size_t mode = 0; mode < std::size(comparisons); ++mode) modes += forest.has(static_cast<Mode>(mode)) ? 1 : 0;
  const bool mixed = modes > 1;
  const bool tracks = std::ranges::any_of(forest.missing_true, [](int64_t flag) { return flag != 0; });
  if (mixed) {
    std::vector<int64_t> codes;
    for (const Mode mode : forest.modes) codes.push_back(static_cast<int64_t>(mode));
    tables.push_back(constant_integers(node, codes));
  }
  if (tracks) tables.push_back(constant_integers(node, forest.missing_true));

  GraphBuilder& step = node.add_graph("trees");
  const Var at = step.input("at", DType::i64, shape);
  std::vector<Var> in;
  for (size_t i = 0; i < tables.size(); ++i) in.push_back(step.input(fmt::format("table{}", i), tables[i].type()));
  const Var value = step.gather(in[0], step.take(in[1], at), {.axis = 1});
  std::optional<Var> mode, missing;
  if (mixed) mode = step.take(in[5], at);
  if (tracks) missing = step.take(in.back(), at);
  const Var turns = turns_true(forest, value, step.take(in[2], at), mode, missing);
  step.output("at", step.select(turns, step.take(in[3], at), step.take(in[4], at)));
  return graph.scan(step.id(), depth, {.carry = {start}, .captures = tables})[0];
}

// --------------------------------------------------------------------------------------------------------------- votes

enum class Aggregate { sum, average, min, max };

// What the leaves say about each target, over all trees: [N, targets].
Var aggregated(Node& node, const Forest& forest, Var leaves, int64_t targets, Aggregate aggregate, DType dtype) {
  GraphBuilder& graph = node.graph();
  if (targets < 1 || targets > (int64_t{1} << 24) / std::max<int64_t>(static_cast<int64_t>(forest.size()), 1)) {
    node.malformed("targets", fmt::format("{}", targets), "some, and not many");
  }
  if ((aggregate == Aggregate::min || aggregate == Aggregate::max) && targets != 1) {
    throw Unsupported(fmt::format("the least or most of the votes for {} targets", targets));
  }
  node.claim_constant(forest.size() * static_cast<size_t>(targets));
  std::vector<double> weights(forest.size() * static_cast<size_t>(targets));
  for (const Vote& vote : forest.votes) {
    if (vote.target < 0 || vote.target >= targets) {
      node.malformed("a target", fmt::format("{}", vote.target), fmt::format("0..{}", targets - 1));
    }
    weights[vote.node * static_cast<size_t>(targets) + static_cast<size_t>(vote.target)] += vote.weight;
  }
  const Var table = constant_reals(node, weights, {static_cast<int64_t>(forest.size()), targets}, dtype);
  const Var votes = graph.take(table, leaves);  // [N, trees, targets]
  switch (aggregate) {
    case Aggregate::min: return graph.reduce_min(votes, {1});
    case Aggregate::max: return graph.reduce_max(votes, {1});
    case Aggregate::average: return graph.reduce_mean(votes, {1});
    case Aggregate::sum: break;
  }
  return graph.reduce_sum(votes, {1});
}

Var with_base(Node& node, Var scores) {
  const std::vector<double> base = reals_in(node, "base_values", "base_values_as_tensor");
  if (base.empty()) return scores;
  const auto count = static_cast<int64_t>(base.size());
  return scores + ensure(constant_reals(node, base, {count}, scores.dtype()), {scores.dim(1)});
}

void tree_ensemble_regressor(Node& node, GraphBuilder&) {
  const PostTransform transform = post_transform(node);
  const Aggregate aggregate = node.choice<Aggregate>(
      "aggregate_function", "SUM",
      {{"SUM", Aggregate::sum}, {"AVERAGE", Aggregate::average}, {"MIN", Aggregate::min}, {"MAX", Aggregate::max}});
  const int64_t targets = node.integer("n_targets", 1);
  const Forest forest = forest_of(node, "target");
  const Var x = features(node);
  const Var y = aggregated(node, forest, leaves_of(node, forest, x), targets, aggregate, x.dtype());
  node.set(0, as_dtype(transformed(with_base(node, y), transform), DType::f32));
}

void tree_ensemble(Node& node, GraphBuilder&) {
  constexpr PostTransform transforms[] = {PostTransform::none, PostTransform::softmax, PostTransform::logistic,
                                          PostTransform::softmax_zero};
  constexpr Aggregate aggregates[] = {Aggregate::average, Aggregate::sum, Aggregate::min, Aggregate::max};
  const int64_t transform = node.integer("post_transform", 0), aggregate = node.integer("aggregate_function", 1);
  if (transform < 0 || transform > 3) throw Unsupported(fmt::format("attribute post_transform is {}", transform));
  if (aggregate < 0 || aggregate > 3) node.malformed("aggregate_function", fmt::format("{}", aggregate), "0..3");
  const int64_t targets = node.integer("n_targets");
  const Forest forest = forest_of_lists(node);
  const Var x = features(node);
  const Var y = aggregated(node, forest, leaves_of(node, forest, x), targets, aggregates[aggregate], x.dtype());
  node.set(0, as_dtype(transformed(y, transforms[transform]), node.type(0).dtype));
}

// Where only one class gets votes it stands against the other: above 1/2, or above 0 when some weights are negative.
void set_binary(Node& node, GraphBuilder& graph, const Forest& forest, Var score, const Labels& labels,
                PostTransform transform) {
  if (transform == PostTransform::softmax || transform == PostTransform::softmax_zero) {
    throw Unsupported("implementations differ in how softmax applies to the score of one class");
  }
  const bool positive = std::ranges::all_of(forest.votes, [](const Vote& vote) { return vote.weight >= 0; });
  const Var chosen = graph.gt(score, graph.scalar(positive ? 0.5 : 0.0, score.dtype()));
  set_labels(node, as_dtype(reshape(chosen, {score.dim(0)}), DType::i64), labels);
  const bool plain = transform == PostTransform::none;
  const Var other = plain && positive ? 1.0 - score : -score;
  node.set(1, as_dtype(transformed(graph.concatenate({other, score}, {.axis = 1}), transform), DType::f32));
}

void tree_ensemble_classifier(Node& node, GraphBuilder& graph) {
  const PostTransform transform = post_transform(node);
  const Labels labels = labels_of(node, "classlabels_int64s", "classlabels_strings");
  Forest forest = forest_of(node, "class");
  const Var x = features(node), leaves = leaves_of(node, forest, x);
  const auto first = forest.votes.empty() ? 0 : forest.votes[0].target;
  const bool one = std::ranges::all_of(forest.votes, [&](const Vote& vote) { return vote.target == first; });
  if (one && labels.count == 2) {
    for (Vote& vote : forest.votes) vote.target = 0;
    Var score = aggregated(node, forest, leaves, 1, Aggregate::sum, x.dtype());
    const std::vector<double> base = reals_in(node, "base_values", "base_values_as_tensor");
    if (base.size() > 1) throw Unsupported("a score of one class has base values of two");
    if (!base.empty()) score = score + base[0];
    return set_binary(node, graph, forest, score, labels, transform);
  }
  const auto classes = static_cast<int64_t>(labels.count);
  const Var scores = with_base(node, aggregated(node, forest, leaves, classes, Aggregate::sum, x.dtype()));
  set_labels(node, graph.argmax(scores, {.axis = 1}), labels);
  node.set(1, as_dtype(transformed(scores, transform), DType::f32));
}

constexpr Handler rows[] = {
    {"TreeEnsemble", 5, tree_ensemble, kMl},
    {"TreeEnsembleClassifier", 1, tree_ensemble_classifier, kMl},
    {"TreeEnsembleRegressor", 1, tree_ensemble_regressor, kMl},
};

}  // namespace

std::span<const Handler> ml_trees_handlers() { return rows; }

}  // namespace ingot::onnx
