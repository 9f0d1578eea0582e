// Proofs: what they must find, what they must not, and a comparison with trying every size.
#include "program/dim.h"
#include "tests/program/dim_support.h"

namespace ingot {
namespace {

using namespace test;

constexpr Proof no = Proof::no, unknown = Proof::unknown, yes = Proof::yes;

std::string name(Proof proof) { return proof == yes ? "yes" : proof == no ? "no" : "unknown"; }

struct Row {
  std::string_view a, b;
  Proof expected;
};

TEST(DimProofs, Equality) {
  const Row rows[] = {
      {"3", "3", yes},
      {"3", "4", no},
      {"A", "A", yes},
      {"A", "B", unknown},
      {"A", "A + 1", no},
      {"2*A", "2*B + 1", no},  // even and odd
      {"6*A + 4*B", "2*T + 3", no},
      {"A", "7", unknown},
      {"S", "0", no},
      {"S", "513", no},
      {"S", "512", unknown},
      {"A % 4", "4", no},
      {"A - 4*(A / 4)", "A % 4", yes},
      {"(A / 4)*4 + A % 4", "A", yes},
      {"A / 2 + ceil(A, 2)", "A", yes},
      {"min(A, B) + max(A, B)", "A + B", yes},
      {"A*A % 2", "A % 2", unknown},  // true, and beyond the rules
      {"min(N, 200)", "N", yes},
      {"A*B", "B*A", yes},
      {"P*Q + 1", "0", no},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(name(equal(dim(row.a), dim(row.b))), name(row.expected)) << row.a << " = " << row.b;
    EXPECT_EQ(name(equal(dim(row.b), dim(row.a))), name(row.expected)) << row.b << " = " << row.a;
  }
}

TEST(DimProofs, Order) {
  const Row rows[] = {
      {"3", "3", yes},
      {"4", "3", no},
      {"0", "A", yes},
      {"1", "A", unknown},
      {"A + 1", "A", no},
      {"A", "A + B", yes},
      {"A", "B", unknown},
      {"S", "512", yes},
      {"S", "511", unknown},
      {"S", "0", no},
      {"A / 4 * 4", "A", yes},
      {"A", "A / 4 * 4 + 3", yes},
      {"A", "A / 4 * 4 + 2", unknown},
      {"A", "ceil(A, 4)*4", yes},
      {"ceil(A, 4)*4", "A + 3", yes},
      {"A % P", "P - 1", yes},
      {"P", "A % P", no},
      {"min(A, B)", "B", yes},
      {"min(A, B)", "max(A, B)", yes},
      {"max(A, B) + 1", "min(A, B)", no},
      {"A / 3", "A / 2", yes},
      {"2*(A / 8)", "A / 4", yes},
      {"3*(A / 8)", "A / 4", unknown},
      {"2*(A / 8)", "2*(A / 4)", yes},  // A / 4 made even
      {"B*(A / 6)", "B*(A / 3) + (A / 3) % 2", yes},
      {"A*B", "A*B + P", yes},
      {"S*A", "512*A", yes},
      {"(A - B) / 2", "A", yes},
      {"max(A - 4, 0)", "A", yes},
      {"A - min(A, 4)", "A", yes},
      {"9223372036854775807", "A", unknown},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(name(less_equal(dim(row.a), dim(row.b))), name(row.expected)) << row.a << " <= " << row.b;
  }
}

// Differences that leave i64, or a limit, are no proof and no exception.
TEST(DimProofs, GiveUpQuietly) {
  const Dim most = dim("9223372036854775807"), least = dim("-9223372036854775807 - 1");
  EXPECT_EQ(equal(most, least), no);
  EXPECT_EQ(less_equal(least, most), yes);
  EXPECT_EQ(equal(dim("9223372036854775807*A"), dim("-9223372036854775807*A")), unknown);
  EXPECT_EQ(less_equal(dim("9223372036854775807*A"), dim("-9223372036854775807*A")), unknown);
  Dim a, b;
  for (int i = 0; i < 40; ++i) {
    a = a + Symbol(fmt::format("a{}", i));
    b = b + Symbol(fmt::format("b{}", i));
  }
  EXPECT_EQ(equal(a, b), unknown);
  EXPECT_EQ(less_equal(a, b), unknown);
}

// ------------------------------------------------------------------------------------------------------- by exhaustion

struct Truth {
  bool always_equal = true, never_equal = true, always_ordered = true, never_ordered = true;
};

// Every assignment of four symbols of three sizes each.
Truth tried(const random_dim::Expr& a, const random_dim::Expr& b, const std::vector<Symbol>& symbols) {
  Truth truth;
  for (int code = 0; code < 81; ++code) {
    std::vector<int64_t> sizes;
    for (int i = 0, rest = code; i < 4; ++i, rest /= 3)
      sizes.push_back(symbols[static_cast<size_t>(i)].min() + rest % 3);
    const auto x = random_dim::value(a, sizes), y = random_dim::value(b, sizes);
    if (!x || !y) return {};
    (*x == *y ? truth.never_equal : truth.always_equal) = false;
    (*x <= *y ? truth.never_ordered : truth.always_ordered) = false;
  }
  return truth;
}

TEST(DimProofs, AgreeWithEveryAssignmentAndFindMostOfWhatIsTrue) {
  const auto choose = seeded(7);
  const std::vector<Symbol> symbols{Symbol("A", 0, 2), Symbol("B", 1, 3), Symbol("C", 2, 4), Symbol("D", 5, 7)};
  int decidable = 0, decided = 0;
  for (int i = 0; i < 3000; ++i) {
    const random_dim::Expr a = random_dim::random_expr(choose, 2), b = random_dim::random_expr(choose, 2);
    const auto x = random_dim::try_build(a, symbols), y = random_dim::try_build(b, symbols);
    if (!x || !y) continue;
    const Truth truth = tried(a, b, symbols);
    const Proof same = equal(*x, *y), ordered = less_equal(*x, *y);
    const std::string shown = fmt::format("{} and {}", to_string(*x), to_string(*y));
    EXPECT_TRUE(same != yes || truth.always_equal) << shown;
    EXPECT_TRUE(same != no || truth.never_equal) << shown;
    EXPECT_TRUE(ordered != yes || truth.always_ordered) << shown;
    EXPECT_TRUE(ordered != no || truth.never_ordered) << shown;
    if (truth.always_ordered || truth.never_ordered) {
      ++decidable;
      decided += ordered != unknown;
    }
  }
  EXPECT_GT(decidable, 1000);
  EXPECT_GT(decided, decidable * 9 / 10);
}

}  // namespace
}  // namespace ingot
