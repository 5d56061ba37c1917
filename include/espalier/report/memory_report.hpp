// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <utility>

#include "../base/needs_header.hpp"
#include "../model/memory_of.hpp"
#include "text.hpp"
#include "type_name.hpp"

ESPALIER_HEADER_INCLUDED(memory_report);

namespace espalier {

namespace report {

inline std::string memory_text(std::vector<std::pair<std::string, memory_facts>> const& all) {
  std::vector<std::string> head{"bytes"};
  for (auto const& each : all) head.push_back(each.first);
  std::vector<std::vector<std::string>> rows{head};
  auto const add = [&](char const* name, std::size_t memory_facts::*part) {
    rows.push_back({name});
    bool some = false;
    for (auto const& each : all) {
      rows.back().push_back(std::to_string(each.second.*part));
      some = some || each.second.*part != 0;
    }
    bool const is_sum = part == &memory_facts::ram_bytes || part == &memory_facts::flash_bytes;
    if (!some && !is_sum) rows.pop_back();
  };
  add("parameters", &memory_facts::parameter_bytes);
  add("buffers", &memory_facts::buffer_bytes);
  add("gradients", &memory_facts::gradient_bytes);
  add("optimizer", &memory_facts::optimizer_bytes);
  add("workspace", &memory_facts::workspace_bytes);
  add("kernels", &memory_facts::kernel_bytes);
  add("other", &memory_facts::other_bytes);
  add("objects", &memory_facts::object_bytes);
  add("ram", &memory_facts::ram_bytes);
  add("flash", &memory_facts::flash_bytes);
  std::vector<bool> numbers(all.size() + 1, true);
  numbers[0] = false;
  return table_text(rows, numbers) +
         "The size of the code is known after linking: size program.elf. The stack is not included: -fstack-usage states "
         "the frame of each function.\n";
}

}  // namespace report

/// memory_report<X...>(): what objects of these types need of flash and ram, as a table: a column for each type and one
/// for the total, a line for each part that is not 0. memory_of<X...> has the numbers as constants.
///     std::cout << esp::memory_report<Model, Trainer>();
/// units   bytes of the target that the program is compiled for
/// errors  types without a memory of their own on this processor do not compile, as in memory_of
template <class... X>
std::string memory_report() {
  constexpr memory_facts total = memory_of<X...>;
  if constexpr (detail::first_violation<detail::states_memory, X...>::type::agree &&
                detail::first_violation<detail::memory_on_host, X...>::type::agree) {
    std::vector<std::pair<std::string, memory_facts>> all{{report::short_name<X>(), memory_of<X>}...};
    if (sizeof...(X) > 1) all.emplace_back("total", total);
    return report::memory_text(all);
  } else {
    return {};
  }
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
