#include "passes/expand.h"

#include "passes/rewrite.h"

namespace ingot {

Program expand_composites(const Program& program) {
  return expand_composites(program, [](const Op&, const Graph&) { return false; });
}

Program expand_composites(const Program& program, const std::function<bool(const Op&, const Graph&)>& keep) {
  Replace replace = [&](const Site& site) -> Replacement {
    if (keep(site.node().op, site.graph())) return std::nullopt;
    return decompose(site.node().op, site.to(), Operands([&](Ref ref) { return site(ref); }));
  };
  return rebuild(program, [&](const Site&) { return replace; });
}

}  // namespace ingot
