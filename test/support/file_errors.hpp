// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <boost/test/unit_test.hpp>

#include <cstring>
#include <string>

#include <espalier/io/checkpoint.hpp>
#include <espalier/model/model.hpp>
/// The errors of readers of files, as text.
namespace test {

/// The lines of the mismatch_error of load(model), behind the first one; the model must be as it was. Empty: no error.
template <class Net, class Load>
std::string mismatch_of(Load load) {
  namespace io = espalier::io;
  espalier::model<Net> model{espalier::seed{1}}, same{espalier::seed{1}};
  try {
    load(model);
  } catch (io::mismatch_error const& error) {
    io::snapshot const now{model}, before{same};
    for (std::size_t i = 0; i < now.arrays().size(); ++i)
      BOOST_TEST(std::memcmp(now.arrays()[i].data, before.arrays()[i].data,
                             static_cast<std::size_t>(now.arrays()[i].bytes)) == 0);
    std::string const text = error.what();
    return text.substr(text.find('\n') + 1);
  }
  return {};
}
/// What the format_error of read() says behind the name of the file. Empty: no error.
template <class Read>
std::string format_error_of(std::string const& name, Read read) {
  try {
    (void)read();
  } catch (espalier::io::format_error const& error) {
    std::string const text = error.what(), before = name + ": ";
    return text.substr(text.find(before) + before.size());
  }
  return {};
}

}  // namespace test
