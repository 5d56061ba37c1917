// SPDX-License-Identifier: BSL-1.0
// expect: ESPALIER_CHECK_PLANS: the plan of this program is wrong: an address or extent does not fit its kernel
// expect: plan_error::outside
#include <espalier.hpp>
#include <espalier/plan/check_plan.hpp>

namespace esp = espalier;
namespace plan = espalier::plan;

/// What the check reports of a plan with a fault: no program is known that has one.
template <plan::plan_error Error>
using reported =
    plan::proved_plan<int, Error, 3, plan::value_of_plan<7, "the op exp">, plan::value_of_plan<5, "the op relu">, 0>;

#ifdef SHOULD_FAIL
static_assert(reported<plan::plan_error::outside>::is_reported);
#else
static_assert(reported<plan::plan_error::none>::is_reported);
#endif
