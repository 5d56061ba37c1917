// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../plan/index_arguments.hpp"
#include "../storage/bytes.hpp"
#include "../storage/index_error.hpp"

namespace espalier::detail {

/// The part of check_indices that checks indices, not labels.
template <class Program, class OnHost>
constexpr void check_positions([[maybe_unused]] OnHost const& on_host) {
  if constexpr (plan::has_indices<Program>) {
    constexpr plan::index_arguments indices = plan::index_arguments_of<Program>;
    for (int k = 0; k < indices.count; ++k) {
      std::int32_t const* const index = on_host(indices.at[k].position, indices.at[k].count);
      if (indices.at[k].is_step_count) check_step_count(*index, indices.at[k].extent - 1);
      else check_range_of_indices(index, indices.at[k].count, indices.at[k].extent);
    }
  }
}

/// Throws index_error for the first index of a program's arguments that is outside its axis, and label_error for the
/// first label outside its classes. Every root calls it before it runs a program or changes anything. on_host(position,
/// count): the elements of that argument, readable by the host. A program without indices and labels costs nothing.
template <class Program, class OnHost>
constexpr void check_indices([[maybe_unused]] OnHost const& on_host) {
  check_positions<Program>(on_host);
  if constexpr (plan::label_arguments_of<Program>.count > 0) {
    constexpr plan::label_arguments labels = plan::label_arguments_of<Program>;
    for (int k = 0; k < labels.count; ++k)
      check_labels(on_host(labels.at[k].position, labels.at[k].count), labels.at[k].count, labels.at[k].accepted);
  }
}

/// The same for the indices of programs of models, whose arguments are an input and its targets; their roots check the
/// labels of a loss themselves. Each is called if it has indices.
template <class Program, class Input, class Targets>
constexpr void check_model_indices([[maybe_unused]] Input const& input, [[maybe_unused]] Targets const& targets) {
  check_positions<Program>([&](int position, std::int64_t) -> std::int32_t const* {
    if constexpr (std::is_convertible_v<decltype(input()), std::int32_t const*>)
      if (position == 0) return input();
    if constexpr (std::is_convertible_v<decltype(targets()), std::int32_t const*>)
      if (position == 1) return targets();
    return nullptr;  // no other argument has integers
  });
}

/// The same for arguments in the memory of an engine's device, which are copied to the host first. address(position):
/// the address of an argument there.
template <class Program, class Engine, class Address>
void check_indices_of([[maybe_unused]] Engine const& engine, [[maybe_unused]] Address const& address) {
  if constexpr (!plan::has_checked_integers<Program>) {
  } else if constexpr (!Engine::has_device_memory) {
    check_indices<Program>([&](int position, std::int64_t) { return address(position); });
  } else {
    constexpr std::int64_t most = [] {
      std::int64_t count = 0;
      for (plan::index_argument const& x : plan::index_arguments_of<Program>.at)
        count = x.count > count ? x.count : count;
      for (plan::label_argument const& x : plan::label_arguments_of<Program>.at)
        count = x.count > count ? x.count : count;
      return count;
    }();
    block const memory{static_cast<std::size_t>(most) * sizeof(std::int32_t)};
    check_indices<Program>([&](int position, std::int64_t count) {
      engine.to_host(memory.template at<void>(0), address(position),
                     static_cast<std::size_t>(count) * sizeof(std::int32_t));
      return static_cast<std::int32_t const*>(memory.template at<std::int32_t>(0));
    });
  }
}

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
