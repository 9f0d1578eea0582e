// Awake: waits for what mostly comes soon without going to sleep.
//
// To wake a thread takes longer than a small call. While what is waited for comes soon it pays to stay awake, which takes
// a core from others; where it came late a few times in a row, that is tried once in so many. Whoever makes a new one for
// each wait always tries.
//
// Threads    one at a time. Failure  none.
#pragma once

#include <chrono>
#include <thread>

namespace ingot::mlx_engine {

class Awake {
 public:
  // Whether it came; otherwise the caller may as well sleep.
  template <class Came>
  bool sees(Came came) {
    if (came()) return true;
    if (late_ >= kPatience && ++late_ % kTriesOneIn != 0) return false;
    const auto until = Clock::now() + kLimit;
    do {
      std::this_thread::yield();  // whoever is waited for may have no core of its own
      if (!came()) continue;
      late_ = 0;
      return true;
    } while (Clock::now() < until);
    if (late_ < kPatience) ++late_;
    return false;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::microseconds kLimit{60};
  static constexpr unsigned kPatience = 3, kTriesOneIn = 32;

  unsigned late_ = 0;  // how often in a row it did not come soon, or was not waited for
};

}  // namespace ingot::mlx_engine
