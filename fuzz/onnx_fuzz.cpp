// ONNX files: whatever the bytes are, an Error, a report, or a program that has passed the verifier.
#include <cstdint>
#include <cstdlib>

#include "fuzz/read_all.h"
#include "import/onnx/import.h"
#include "program/error.h"

using namespace ingot;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const Buffer bytes = Buffer::copy_of(std::as_bytes(std::span(data, size)));
    const onnx::ImportResult result = onnx::import_model(bytes, {}, {.limits = {.nodes = 10'000}});
    if (result.program.has_value() == !result.report.failures.empty()) std::abort();
    if (!result.program) return 0;
    for (const Weight& weight : result.program->weights) read_all(*weight.tensor);
    verify(*result.program);
  } catch (const Error&) {
  }
  return 0;
}
