// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sstream>

#include "recorded.hpp"

namespace examples {

/// A line "name   value" of what a program says, for anything that a stream takes.
template <class Value>
void show(recorded& out, char const* name, Value const& value) {
  std::ostringstream text;
  text << value;
  std::size_t const start = out.length();
  out.print("%s", name);
  out.pad(start + 24);
  out.print("%s\n", text.str().c_str());
}

}  // namespace examples
