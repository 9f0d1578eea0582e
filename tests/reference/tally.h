// Tally: whether outcomes come as often as they should.
//
// Ownership  a value. Threads  none involved. Failure  a failure of the test.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace ingot::test {

// How often each of a number of outcomes came.
class Tally {
 public:
  explicit Tally(std::vector<double> probabilities)
      : probabilities_(std::move(probabilities)), counts_(probabilities_.size()) {}
  // All equally likely.
  static Tally of(size_t outcomes) { return Tally(std::vector<double>(outcomes, 1 / static_cast<double>(outcomes))); }

  void add(size_t outcome) { ++counts_.at(outcome); }

  // Pearson's χ² is below what chance exceeds once in three million times: five standard deviations, by the
  // approximation of Wilson and Hilferty.
  void expect_likely() const {
    const double n = std::accumulate(counts_.begin(), counts_.end(), 0.0);
    double chi_squared = 0;
    for (size_t i = 0; i < counts_.size(); ++i) {
      const double expected = n * probabilities_[i];
      chi_squared += (counts_[i] - expected) * (counts_[i] - expected) / expected;
    }
    const auto degrees = static_cast<double>(counts_.size() - 1);
    const double variance = 2 / (9 * degrees), limit = degrees * std::pow(1 - variance + 5 * std::sqrt(variance), 3);
    EXPECT_LT(chi_squared, limit) << "of " << n << " draws with " << degrees << " degrees of freedom";
  }

 private:
  std::vector<double> probabilities_, counts_;
};

}  // namespace ingot::test
