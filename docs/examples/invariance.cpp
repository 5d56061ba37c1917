// SPDX-License-Identifier: BSL-1.0
// The numbers of the course's page 7: Table 1 of the LayerNorm paper, measured.
//   invariance [FILE]    prints it; with FILE, compares it with that file
#include "support/invariance.hpp"
#include "support/recorded.hpp"

namespace {

void print_table(examples::recorded& out, char const* title, auto const& rows) {
  char const* const columns[2][6] = {
      {"weight matrix", "weight matrix", "weight vector", "data set", "data set", "single case"},
      {"re-scaling", "re-centering", "re-scaling", "re-scaling", "re-centering", "re-scaling"}};
  for (auto const& line : columns) {
    out.print("%-18s", &line == &columns[0] ? title : "");
    for (char const* column : line) out.print(" %-14s", column);
    out.end_line();
  }
  for (auto const& row : rows) {
    out.print("%-18s", row.norm);
    for (int how = 0; how < 6; ++how) {
      double const change = examples::comparison{row, static_cast<examples::transformation>(how), 1, 2.5}.change();
      if (change < 1e-12) out.print(" yes  < 1e-12  ");
      else out.print(" no   %-9.4f", change);
    }
    out.end_line();
  }
}

}  // namespace

int main(int count, char** words) {
  static examples::recorded out;
  print_table(out, "epsilon 0", examples::table<examples::exact>);
  out.print("\n");
  print_table(out, "epsilon 0.1", examples::table<examples::with_epsilon>);
  out.print("\n");
  print_table(out, "bias before", examples::biased);
  return out.finish(count, words);
}
