#include "import/onnx/handlers.h"

#include <fmt/format.h>

#include <unordered_map>
#include <vector>

namespace ingot::onnx {
namespace {

std::vector<Handler> collected() {
  std::vector<Handler> all;
  for (const auto family : {activation_handlers(),
                            attention_handlers(),
                            cast_handlers(),
                            constant_handlers(),
                            control_handlers(),
                            conv_handlers(),
                            create_handlers(),
                            elementwise_handlers(),
                            fft_handlers(),
                            image_handlers(),
                            index_handlers(),
                            layout_handlers(),
                            linalg_handlers(),
                            loop_handlers(),
                            loss_handlers(),
                            matmul_handlers(),
                            microsoft_handlers(),
                            microsoft_attention_handlers(),
                            microsoft_blocks_handlers(),
                            microsoft_quant_handlers(),
                            ml_handlers(),
                            ml_linear_handlers(),
                            ml_trees_handlers(),
                            ngram_handlers(),
                            norm_handlers(),
                            pool_handlers(),
                            quant_handlers(),
                            recurrent_handlers(),
                            reduce_handlers(),
                            sequence_handlers(),
                            shape_handlers(),
                            slice_handlers(),
                            sort_handlers(),
                            training_handlers()}) {
    all.insert(all.end(), family.begin(), family.end());
  }
  return all;
}

using Rows = std::unordered_multimap<std::string_view, const Handler*>;

Rows by_op() {
  Rows rows;
  for (const Handler& handler : all_handlers()) rows.emplace(handler.op, &handler);
  return rows;
}

}  // namespace

const std::vector<Handler>& all_handlers() {
  static const std::vector<Handler> all = collected();
  return all;
}

const Handler& find_handler(std::string_view domain, std::string_view op, int64_t version) {
  static const Rows rows = by_op();
  const Handler* other = nullptr;
  const auto [first, last] = rows.equal_range(op);
  for (auto row = first; row != last; ++row) {
    const Handler& handler = *row->second;
    if (handler.domain != domain) continue;
    if (handler.since <= version && version <= handler.until) return handler;
    other = &handler;
  }
  if (!other) throw Unsupported("there is no handler for it");
  throw Unsupported(other->since > version ? fmt::format("it is understood from version {} on", other->since)
                                           : fmt::format("it is understood up to version {}", other->until));
}

}  // namespace ingot::onnx
