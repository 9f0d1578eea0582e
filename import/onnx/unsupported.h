// Unsupported: a model that is right, and that Ingot cannot express.
#pragma once

#include <string>
#include <utility>

#include "program/error.h"

namespace ingot::onnx {

// Thrown by handlers; the reason goes into the report. It completes the sentence "cannot be imported: …".
class Unsupported : public Error {
 public:
  explicit Unsupported(std::string reason) : Error(Code::unsupported, std::move(reason)) {}
};

}  // namespace ingot::onnx
