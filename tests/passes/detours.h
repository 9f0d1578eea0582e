// Longer spellings of the same program, so that the rules of canonicalize have something to find.
#pragma once

#include "passes/effects.h"
#include "passes/rewrite.h"
#include "tests/support/draw.h"

namespace ingot::test {

// The same value by a detour.
inline Var detour(GraphBuilder& graph, Draw& draw, Var x) {
  const Shape shape = x.shape();
  const DType dtype = x.dtype();
  const auto one_like = [&](double value) { return graph.scalar(value, dtype); };
  switch (draw.below(11)) {
    case 0: return graph.reshape(graph.reshape(x, {element_count(shape)}), shape);
    case 1: {
      const std::vector<int64_t> perm = draw.permutation(shape.size());
      std::vector<int64_t> back(perm.size());
      for (size_t i = 0; i < perm.size(); ++i) back[static_cast<size_t>(perm[i])] = static_cast<int64_t>(i);
      return graph.transpose(graph.transpose(x, perm), back);
    }
    case 2: return graph.broadcast(x, shape);
    case 3: return graph.concatenate({x});
    case 4: return graph.pad(x, Shape(shape.size()), Shape(shape.size()));
    case 5: return graph.neg(graph.neg(x));
    case 6: return is_real(dtype) || is_integer(dtype) ? x * one_like(1) : x;
    case 7: return is_real(dtype) ? x + one_like(-0.0) : is_integer(dtype) ? x - one_like(0) : x;
    case 8: {
      if (shape.size() < 2) return x;
      const Dim rows = shape.end()[-2], columns = shape.back();
      Shape front(shape.begin(), shape.end() - 2);
      const Dim matrices = element_count(front);
      const Var swapped = graph.transpose(graph.reshape(x, {matrices, rows, columns}), {0, 2, 1});
      front.insert(front.end(), {columns, rows});
      const Var again = graph.reshape(graph.reshape(swapped, front), {matrices, columns, rows});
      return graph.reshape(graph.transpose(again, {0, 2, 1}), shape);
    }
    case 9: return graph.select(graph.full({}, draw.below(2), {.dtype = DType::bool_}), x, x);
    default: return graph.cast(graph.cast(x, dtype), dtype);
  }
}

// Detours behind some of the nodes, and some of the nodes twice.
inline Program spelled_out(const Program& program, Draw& draw) {
  const NodeEffects effects(program);
  return rebuild(program, [&](const Site&) -> Replace {
    return [&](const Site& site) -> Replacement {
      std::vector<Var> results = site.to().add(site.moved(site.node().op));
      const Op& op = site.node().op;
      if (draw.chance(30) && effects.may_drop(op) && effects.may_merge(op)) results = site.to().add(site.moved(op));
      for (Var& result : results) {
        if (!draw.chance(50) || kind(result.dtype()) == Kind::storage) continue;
        try {
          const Var longer = detour(site.to(), draw, result);
          if (longer.type() == result.type()) result = longer;
        } catch (const Error&) {  // a detour that this dtype cannot take
        }
      }
      return results;
    };
  });
}

}  // namespace ingot::test
