// JSON as the tool writes it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace ingot::cli {

// With a newline at the end. Names may hold any bytes: what is no UTF-8 is replaced, never thrown at.
inline std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace ingot::cli
