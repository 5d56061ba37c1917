// SPDX-License-Identifier: BSL-1.0
// What an exchange between the processes costs, as a line of JSON: microseconds of a scatter and a gather of 64 bytes
// to each process, and bytes per second of large ones. Start it by mpirun; extrapolate.py reads it.
#include <espalier/mpi.hpp>

#include <algorithm>
#include <cstdio>
#include <vector>

namespace esp = espalier;

namespace {

/// The least microseconds of an exchange of so many lines to each process, of `rounds`.
double exchange(esp::mpi& all, int lines, int rounds) {
  auto const processes = static_cast<std::size_t>(all.size());
  auto const bytes = static_cast<std::size_t>(lines) * esp::processes::line;
  std::vector<unsigned char> from(bytes * processes), to(bytes * processes);
  std::vector<int> count(processes, lines), first(processes);
  for (int k = 0; k < all.size(); ++k) first[static_cast<std::size_t>(k)] = k * lines;
  count[static_cast<std::size_t>(all.rank())] = 0;
  std::vector<int> whole(processes, lines);
  double least = 1e30;
  for (int round = 0; round < rounds; ++round) {
    esp::processes::transfer parts, wholes;
    double const begun = all.now();
    all.scatter(parts, esp::processes::channel::parts, from.data(), {count.data(), first.data()}, to.data(),
                {count.data(), first.data()});
    all.wait(parts, round);
    all.gather(wholes, esp::processes::channel::wholes, from.data(), {whole.data(), first.data()});
    all.wait(wholes, round);
    least = std::min(least, (all.now() - begun) * 1e6);
  }
  return least;
}

}  // namespace

int main() {
  esp::mpi all;
  int const others = all.size() - 1;
  if (others == 0) return std::fprintf(stderr, "link: start it by mpirun -n 2\n"), 2;
  constexpr int large = 1 << 14;  // lines: 1 MiB to each process
  double const small = exchange(all, 1, 2000), whole = exchange(all, large, 50);
  double const bytes = 2.0 * others * large * esp::processes::line;
  if (all.rank() == 0)
    std::printf("{\"processes\": %d, \"latency\": %.2f, \"bandwidth\": %.4g}\n", all.size(), small / 2 / others,
                bytes / ((whole - small) * 1e-6));
}
