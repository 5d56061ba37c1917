// SPDX-License-Identifier: BSL-1.0
// A file knows which kind of build it has, and tensors and models of the two kinds are types of other names.
#define BOOST_TEST_MODULE base_build_mode
#if defined(EMPTY_MACRO)
#define ESPALIER_DRAFT
#endif
#include <espalier/base/build_mode.hpp>

#include <espalier/storage/tensor.hpp>

#include <boost/test/unit_test.hpp>
#include <string_view>
#include <typeinfo>

namespace esp = espalier;

BOOST_AUTO_TEST_CASE(the_constant_is_that_of_the_macro) {
#if defined(WANTS_DRAFT)
  static_assert(esp::is_draft && std::string_view{esp::build_mode} == "draft");
#else
  static_assert(!esp::is_draft && std::string_view{esp::build_mode} == "full build");
#endif
}
BOOST_AUTO_TEST_CASE(names_of_drafts_have_a_tag) {
  for (std::string_view const name :
       {typeid(esp::cpu).name(), typeid(esp::cpu_parallel<2>).name(), typeid(esp::tensor<float, esp::shape<3>>).name()})
    BOOST_TEST((name.find("B5draft") != std::string_view::npos) == esp::is_draft, name);
}
