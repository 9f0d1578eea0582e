#include "engines/mlx/guards.h"

#include <algorithm>
#include <utility>

#include "program/error.h"

namespace ingot::mlx_engine {
namespace {

bool holds(const Guard& guard) {
  array flag = guard.holds;
  flag.wait();
  return *flag.data<bool>();
}

}  // namespace

void submit(std::vector<array> arrays, const std::vector<Guard>& guards) {
  arrays.reserve(arrays.size() + guards.size());
  for (const Guard& guard : guards) arrays.push_back(guard.holds);
  mx::async_eval(std::move(arrays));
}

bool hold(const std::vector<Guard>& guards) { return std::ranges::all_of(guards, holds); }

void refuse(const std::vector<Guard>& guards, mx::Stream stream) {
  const Guard& broken = *std::ranges::find_if_not(guards, holds);
  array witness = mx::contiguous(broken.witness, false, stream);
  mx::eval(witness);
  const Sizes sizes(witness.shape().begin(), witness.shape().end());
  throw(*broken.refusal)(download(witness, from_mlx(witness.dtype()), sizes, {}));
}

}  // namespace ingot::mlx_engine
