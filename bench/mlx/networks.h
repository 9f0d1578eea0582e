// The networks of bench_mlx: each as a Program, and written by hand in MLX C++, with the same weights.
//
// Ownership  a Network owns all that both sides compute with. Threads  one thread at a time. Failure  Error, or MLX's.
#pragma once

#include <mlx/mlx.h>

#include <functional>
#include <random>
#include <vector>

#include "program/builder.h"

namespace ingot::bench {

namespace mx = ::mlx::core;
using mx::array;

// Of the inputs, the states, then the weights: the output, then the states as they are afterwards.
using ByHand = std::function<std::vector<array>(const std::vector<array>&)>;

struct Network {
  Program program;  // of one method with one output
  ByHand by_hand;
  std::vector<Tensor> inputs;                           // of every call
  std::function<void(const Tensor& output)> next = {};  // writes the inputs of the call that follows into their memory
  std::vector<array> states = {};
  std::vector<array> weights = {};
};

// Makes weights on both sides.
class Weights {
 public:
  Weights(ProgramBuilder& program, GraphBuilder& graph) : program_(program), graph_(graph) {}

  struct Both {
    Var ours;
    size_t by_hand;  // position in `arrays`
  };
  // Evenly distributed, of this standard deviation.
  Both uniform(Sizes sizes, double deviation, double mean = 0);
  std::vector<array> arrays;

 private:
  ProgramBuilder& program_;
  GraphBuilder& graph_;
  std::mt19937 random_{7};
};

Network five_nodes();

// BERT as MiniLM has it, for one text of 128 tokens: 6 layers, 384 wide, 12 heads.
Network encoder();

struct DecoderSizes {
  int layers = 12, width = 768, heads = 12, feed = 3072, vocabulary = 32000, positions = 1024;
  int head() const { return width / heads; }
};

// One step of a decoder with keys and values in states: from a token and its position to the likeliest next one. Of
// GPT-2's small size, with rms_norm and rope as later ones have.
Network decoder(const DecoderSizes& sizes = {});

}  // namespace ingot::bench
