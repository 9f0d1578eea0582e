#include "engines/mlx/fresh.h"

#include <mlx/primitives.h>

#include <algorithm>
#include <string_view>

namespace ingot::mlx_engine {
namespace {

// All elements of the operand, in its memory.
constexpr std::string_view kViews[] = {"ExpandDims", "Flatten", "Reshape", "Squeeze", "Transpose", "Unflatten"};

// Those that programs end with, of the many that write memory of their own, or of an operand that nobody else has.
constexpr std::string_view kWriters[] = {  //
    "Add",         "AddMM",       "And",
    "ArgReduce",   "ArgSort",     "AsType",
    "Concatenate", "Convolution", "CumSum",
    "Divide",      "Erf",         "Exp",
    "Gather",      "LayerNorm",   "Log",
    "LogSumExp",   "Matmul",      "Max",
    "Maximum",     "Min",         "Minimum",
    "Multiply",    "Negative",    "Or",
    "Power",       "Prod",        "QuantizedMatmul",
    "RMSNorm",     "Rsqrt",       "ScaledDotProductAttention",
    "Select",      "Sigmoid",     "Softmax",
    "Sort",        "Sqrt",        "Square",
    "Subtract",    "Sum",         "Tanh"};

bool is_one_of(std::string_view name, const auto& names) { return std::ranges::find(names, name) != std::end(names); }

}  // namespace

bool gets_fresh_memory(const array& x) {
  const array* from = &x;
  while (from->has_primitive() && from->status() == array::Status::unscheduled) {
    const std::string_view name = from->primitive().name();
    if (is_one_of(name, kWriters) || name.starts_with("Compiled")) return true;
    if (!is_one_of(name, kViews)) return false;
    from = &from->inputs().front();
  }
  return false;
}

bool share_memory(const array& a, const array& b) { return a.data_shared_ptr() == b.data_shared_ptr(); }

}  // namespace ingot::mlx_engine
