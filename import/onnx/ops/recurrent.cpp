// Recurrent networks. Layout 1 has the batch in front.
#include "program/recurrent.h"

#include <fmt/format.h>

#include <utility>

#include "import/onnx/handlers.h"
#include "import/onnx/sizes.h"

namespace ingot::onnx {
namespace {

// ---------------------------------------------------------------------------------------------------- activations

constexpr std::pair<std::string_view, RnnActivation> activation_names[] = {
    {"Affine", RnnActivation::affine},
    {"Elu", RnnActivation::elu},
    {"HardSigmoid", RnnActivation::hard_sigmoid},
    {"LeakyRelu", RnnActivation::leaky_relu},
    {"Relu", RnnActivation::relu},
    {"ScaledTanh", RnnActivation::scaled_tanh},
    {"Sigmoid", RnnActivation::sigmoid},
    {"Softplus", RnnActivation::softplus},
    {"Softsign", RnnActivation::softsign},
    {"Tanh", RnnActivation::tanh},
    {"ThresholdedRelu", RnnActivation::thresholded_relu},
};

// Names come in any case.
bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return (x | 0x20) == (y | 0x20); });
}

RnnActivation activation_of(const std::string& word) {
  for (const auto& [name, fn] : activation_names) {
    if (same_name(name, word)) return fn;
  }
  throw Unsupported(fmt::format("the activation {} is not understood", word));
}

struct Activations {
  std::vector<RnnActivation> fns;
  std::vector<double> alphas, betas;
};

// Those that take a parameter consume the lists in turn.
double next_of(const std::vector<double>& list, size_t& used, double standard) {
  return used < list.size() ? list[used++] : standard;
}

Activations activations_of(Node& node) {
  const auto names = node.texts("activations");
  const std::vector<double> alphas = node.reals("activation_alpha").value_or(std::vector<double>{});
  const std::vector<double> betas = node.reals("activation_beta").value_or(std::vector<double>{});
  Activations all;
  if (!names) return all;
  size_t alphas_used = 0, betas_used = 0;
  for (const std::string& name : *names) {
    const RnnActivation fn = activation_of(name);
    const RnnActivationFacts& standard = facts(fn);
    all.fns.push_back(fn);
    if (standard.alpha) all.alphas.push_back(next_of(alphas, alphas_used, *standard.alpha));
    if (standard.beta) all.betas.push_back(next_of(betas, betas_used, *standard.beta));
  }
  return all;
}

// --------------------------------------------------------------------------------------------------------- inputs

struct Recurrent {
  bool batch_first;
  RnnDirection direction;
  Activations activations;
  std::optional<double> clip;
  Var x, w, r;
  std::optional<Var> bias, lengths, h0;
};

// [B, D, H] as [D, B, H], or the other way.
Var exchanged(Var x, bool really) { return really ? x.graph().transpose(x, {1, 0, 2}) : x; }

std::optional<Var> first_state(Node& node, size_t i, bool batch_first) {
  return node.has(i) ? std::optional(exchanged(node.input(i), batch_first)) : std::nullopt;
}

Recurrent recurrent_of(Node& node) {
  const bool batch_first = node.flag("layout", false);
  Recurrent all{batch_first,
                node.choice<RnnDirection>("direction", "forward",
                                          {{"forward", RnnDirection::forward},
                                           {"reverse", RnnDirection::reverse},
                                           {"bidirectional", RnnDirection::bidirectional}}),
                activations_of(node),
                node.has("clip") ? std::optional(node.real("clip")) : std::nullopt,
                exchanged(node.input(0), batch_first),
                node.input(1),
                node.input(2),
                node.optional_input(3),
                node.optional_input(4),
                first_state(node, 5, batch_first)};
  const Dim hidden = all.r.dim(-1);
  if (equal(Dim(node.integer("hidden_size", hidden.is_literal() ? hidden.literal() : 0)), hidden) == Proof::no) {
    node.malformed("hidden_size", fmt::format("{}", node.integer("hidden_size")), to_string(hidden));
  }
  const Dim batch = all.x.dim(1);
  if (all.x.type().rank() == 3) all.x = ensure_size(all.x, 2, all.w.dim(-1));
  if (all.lengths) all.lengths = ensure(*all.lengths, {batch});
  if (all.h0) all.h0 = ensure_size(*all.h0, 1, batch);
  return all;
}

// [T, D, B, H], or [B, T, D, H] in layout 1; then the last states.
template <size_t n>
void set_results(Node& node, const Recurrent& from, const std::array<Var, n>& results) {
  node.set(0, from.batch_first ? node.graph().transpose(results[0], {2, 0, 1, 3}) : results[0]);
  for (size_t i = 1; i < n; ++i) node.set(i, exchanged(results[i], from.batch_first));
}

// ------------------------------------------------------------------------------------------------------------- ops

// What the three ops have in common.
template <class Options>
Options options_of(const Recurrent& in) {
  Options options;
  options.bias = in.bias;
  options.lengths = in.lengths;
  options.h0 = in.h0;
  options.direction = in.direction;
  options.activations = in.activations.fns;
  options.alphas = in.activations.alphas;
  options.betas = in.activations.betas;
  options.clip = in.clip;
  return options;
}

void rnn(Node& node, GraphBuilder& graph) {
  const Recurrent in = recurrent_of(node);
  set_results(node, in, graph.rnn(in.x, in.w, in.r, options_of<options::Rnn>(in)));
}

void gru(Node& node, GraphBuilder& graph) {
  const Recurrent in = recurrent_of(node);
  auto options = options_of<options::Gru>(in);
  options.linear_before_reset = node.flag("linear_before_reset", false);
  set_results(node, in, graph.gru(in.x, in.w, in.r, options));
}

void lstm(Node& node, GraphBuilder& graph) {
  const Recurrent in = recurrent_of(node);
  auto options = options_of<options::Lstm>(in);
  options.input_forget = node.flag("input_forget", false);
  options.c0 = first_state(node, 6, in.batch_first);
  if (options.c0) options.c0 = ensure_size(*options.c0, 1, in.x.dim(1));
  options.peepholes = node.optional_input(7);
  set_results(node, in, graph.lstm(in.x, in.w, in.r, options));
}

constexpr Handler rows[] = {
    {"GRU", 7, gru},
    {"LSTM", 7, lstm},
    {"RNN", 7, rnn},
};

}  // namespace

std::span<const Handler> recurrent_handlers() { return rows; }

}  // namespace ingot::onnx
