// Examples of ops: tests/data/ops/<family>.txt, a program for each family in text form.
//
// Between them and every_op() (tests/file/programs.h) each op occurs with every attribute at another value than its
// default; File.ExampleCoversEveryField checks that. Random programs draw from them too.
#pragma once

#include <vector>

#include "program/program.h"

namespace ingot::test {

// In the order of their names; read once.
const std::vector<Program>& op_examples();

// A node of one of them.
struct OpExample {
  const Program& program;
  const Graph& graph;
  const Node& node;
};

// Every node of that kind.
std::vector<OpExample> op_examples(Opcode opcode);

}  // namespace ingot::test
