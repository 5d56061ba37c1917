// SPDX-License-Identifier: BSL-1.0
// Reads the numbers, runs every case, compares and reports.
//   conformance INDEX NUMBERS [--suite SUITE] [--op OP] [--only PART_OF_ID] [--verbose]
// Each case runs in a process of its own, so that one that crashes is one failure.
// Exit status: 0 when every case passed, 1 when one failed or none was selected, 2 when the data could not be read.
#include "harness.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace conformance {

namespace {

struct stored_tensor {
  role where{};
  std::string name;
  std::vector<int> extents;
  std::vector<double> values;
  double relative = 0, absolute = 0;
};

std::string text_of(std::span<int const> extents) {
  std::string s = "(";
  for (int e : extents) s += (s.size() > 1 ? ", " : "") + std::to_string(e);
  return s + ")";
}

std::vector<int> without_units(std::span<int const> extents) {
  std::vector<int> kept;
  for (int e : extents)
    if (e != 1) kept.push_back(e);
  return kept;
}

std::string index_text(std::vector<int> const& extents, std::size_t flat) {
  std::vector<std::size_t> at(extents.size());
  for (std::size_t i = extents.size(); i-- > 0;) {
    at[i] = flat % static_cast<std::size_t>(extents[i]);
    flat /= static_cast<std::size_t>(extents[i]);
  }
  std::string s = "[";
  for (std::size_t i = 0; i < at.size(); ++i) s += (i ? "," : "") + std::to_string(at[i]);
  return s + "]";
}

std::string number(double x) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.17g", x);
  return buffer;
}

}  // namespace

/// What the index says of one case.
struct stored_case {
  std::string id, suite, op, plan, reason;  // plan: run or missing
  std::string loss;
  double power = 0;
  std::vector<stored_tensor> tensors;

  stored_tensor const* find(role where, std::string_view name) const {
    for (stored_tensor const& t : tensors)
      if (t.where == where && t.name == name) return &t;
    return nullptr;
  }
};

struct case_run::state {
  stored_case const& stored;
  bool in_float;
  std::vector<std::string> failures;
  std::vector<std::string_view> seen;
};

case_run::case_run(stored_case const& stored, bool in_float) : state_(new state{stored, in_float, {}, {}}) {}
case_run::~case_run() { delete state_; }

void case_run::fail(std::string_view reason, std::string_view detail) {
  state_->failures.push_back(std::string(reason) + std::string(detail));
}

bool case_run::has(role where, std::string_view name) const {
  if (state_->stored.find(where, name)) return true;
  return where == role::expected && state_->stored.find(where, std::string(name) + "#f64");
}

template <class T>
void case_run::read_any(role from, std::string_view name, std::size_t first, bool whole, std::span<T> to) {
  stored_tensor const* source = state_->stored.find(from, name);
  if (!source) return fail("the adapter asks for a tensor that the case does not give: ", name);
  std::size_t const rows = source->extents.empty() ? 1 : static_cast<std::size_t>(source->extents.front());
  std::size_t const offset = first * (source->values.size() / rows);
  if (offset + to.size() > source->values.size() || (whole && to.size() != source->values.size()))
    return fail("the adapter asks for another number of elements than the case gives: ", name);
  for (std::size_t i = 0; i < to.size(); ++i) {
    if constexpr (std::is_same_v<T, bool>) to[i] = source->values[offset + i] != 0;
    else to[i] = static_cast<T>(source->values[offset + i]);
  }
}

void case_run::read(role from, std::string_view name, std::span<float> to) { read_any(from, name, 0, true, to); }
void case_run::read(role from, std::string_view name, std::span<double> to) { read_any(from, name, 0, true, to); }
void case_run::read(role from, std::string_view name, std::span<std::int32_t> to) { read_any(from, name, 0, true, to); }
void case_run::read(role from, std::string_view name, std::span<bool> to) { read_any(from, name, 0, true, to); }
void case_run::read_rows(std::string_view name, std::size_t first, std::span<float> to) {
  read_any(role::input, name, first, false, to);
}
void case_run::read_rows(std::string_view name, std::size_t first, std::span<double> to) {
  read_any(role::input, name, first, false, to);
}
void case_run::read_rows(std::string_view name, std::size_t first, std::span<std::int32_t> to) {
  read_any(role::input, name, first, false, to);
}

template <class T>
void case_run::gradient_any(std::span<T const> y, std::span<T> gradient) {
  stored_case const& c = state_->stored;
  if (c.loss == "sum" || c.loss == "self") {
    std::fill(gradient.begin(), gradient.end(), T(1));
  } else if (c.loss == "sum_pow") {
    for (std::size_t i = 0; i < y.size(); ++i)
      gradient[i] = static_cast<T>(c.power * std::pow(static_cast<double>(y[i]), c.power - 1));
  } else if (c.loss == "dot") {
    read_any(role::input, "gy", 0, true, gradient);
  } else {
    fail("a loss that the harness does not know: ", c.loss);
  }
}
void case_run::gradient_of_loss(std::span<float const> y, std::span<float> gradient) { gradient_any(y, gradient); }
void case_run::gradient_of_loss(std::span<double const> y, std::span<double> gradient) { gradient_any(y, gradient); }

template <class T>
void case_run::result_any(std::string_view name, std::span<T const> got, esp::extents const& shape) {
  std::span<int const> const got_extents{shape.at, static_cast<std::size_t>(shape.rank)};
  for (std::string key : {std::string(name), std::string(name) + "#f64"}) {
    stored_tensor const* expected = state_->stored.find(role::expected, key);
    if (!expected) continue;
    state_->seen.push_back(expected->name);
    // Extents of 1 are not compared: some sources keep the reduced axis of a scalar, others drop it.
    if (got.size() != expected->values.size() || without_units(got_extents) != without_units(expected->extents)) {
      fail(key + ": shape " + text_of(got_extents) + ", expected " + text_of(expected->extents));
      continue;
    }
    double relative = expected->relative, absolute = expected->absolute;
    if (state_->in_float) {
      double largest = 0;
      for (double v : expected->values) largest = std::max(largest, std::abs(v));
      relative = std::max(relative, 1e-4);
      absolute = std::max(absolute, 1e-5 * largest);
    }
    double worst = 0;
    std::size_t worst_at = 0, bad = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
      double const expected_value = expected->values[i], have = static_cast<double>(got[i]);
      double const difference = std::abs(have - expected_value),
                   allowed = absolute + relative * std::abs(expected_value);
      if (difference <= allowed || have == expected_value || (std::isnan(have) && std::isnan(expected_value))) continue;
      ++bad;
      double const excess = std::isfinite(difference) ? difference / (allowed + 1e-300) : HUGE_VAL;
      if (excess > worst) worst = excess, worst_at = i;
    }
    if (bad > 0)
      fail(key + index_text(expected->extents, worst_at) + ": got " + number(static_cast<double>(got[worst_at])) +
           ", expected " + number(expected->values[worst_at]) + " (" + std::to_string(bad) + " of " +
           std::to_string(got.size()) + " elements outside rtol " + number(relative) + ", atol " + number(absolute) +
           ")");
  }
}
void case_run::result(std::string_view name, std::span<float const> got, esp::extents const& shape) {
  result_any(name, got, shape);
}
void case_run::result(std::string_view name, std::span<double const> got, esp::extents const& shape) {
  result_any(name, got, shape);
}
void case_run::result(std::string_view name, double got) {
  result_any<double>(name, std::span<double const>{&got, 1}, esp::extents{});
}

namespace {

std::vector<std::string> fields(std::string const& line) {
  std::vector<std::string> parts;
  std::stringstream stream(line);
  for (std::string part; std::getline(stream, part, '\t');) parts.push_back(part);
  return parts;
}

/// The index names the cases and where each tensor's doubles stand in the file of numbers; generate.py writes both.
bool load(std::string const& index_file, std::string const& numbers_file, std::vector<stored_case>& cases) {
  std::ifstream index(index_file);
  std::ifstream blob(numbers_file, std::ios::binary);
  if (!index || !blob) return false;
  for (std::string line; std::getline(index, line);) {
    std::vector<std::string> const f = fields(line);
    if (f.size() >= 7 && f[0] == "case") {
      stored_case c;
      c.id = f[1], c.suite = f[2], c.op = f[3], c.plan = f[4], c.loss = f[5], c.power = std::atof(f[6].c_str());
      if (f.size() > 7) c.reason = f[7];
      cases.push_back(std::move(c));
    } else if (f.size() == 7 && f[0] == "tensor" && !cases.empty()) {
      stored_tensor t;
      t.where = f[1] == "input" ? role::input : f[1] == "parameter" ? role::parameter : role::expected;
      t.name = f[2];
      std::stringstream extents(f[3]);
      std::size_t count = 1;
      for (int e; extents >> e;) t.extents.push_back(e), count *= static_cast<std::size_t>(e);
      t.values.resize(count);
      t.relative = std::atof(f[5].c_str()), t.absolute = std::atof(f[6].c_str());
      blob.seekg(static_cast<std::streamoff>(std::atoll(f[4].c_str()) * 8));
      blob.read(reinterpret_cast<char*>(t.values.data()), static_cast<std::streamsize>(count * 8));
      if (!blob) return false;
      cases.back().tensors.push_back(std::move(t));
    } else {
      return false;
    }
  }
  return true;
}

void run_one(stored_case const& stored, bool in_float, void (*code)(case_run&), std::vector<std::string>& lines) {
  case_run run(stored, in_float);
  try {
    code(run);
  } catch (std::exception const& thrown) {
    run.fail("exception: ", thrown.what());
  }
  auto const& verdict = run.verdict();
  std::string const who = stored.id + (in_float ? " [float] " : " [double] ");
  for (std::string const& f : verdict.failures) lines.push_back(who + f);
  for (stored_tensor const& t : stored.tensors)
    if (t.where == role::expected &&
        std::find(verdict.seen.begin(), verdict.seen.end(), t.name) == verdict.seen.end() && verdict.failures.empty())
      lines.push_back(who + "no value for " + t.name);
}

/// Both runs of a case in a child process; what it writes are the failures, a line each.
std::vector<std::string> run_isolated(stored_case const& stored, entry const& code) {
  std::vector<std::string> lines;
  int ends[2];
  std::fflush(stdout);
  if (pipe(ends) != 0) return {stored.id + " cannot run: no pipe"};
  pid_t const child = fork();
  if (child < 0) return {stored.id + " cannot run: no process"};
  if (child == 0) {
    close(ends[0]);
    run_one(stored, false, code.in_double, lines);
    if (code.in_float) run_one(stored, true, code.in_float, lines);
    std::FILE* const out = fdopen(ends[1], "w");
    for (std::string const& line : lines) std::fprintf(out, "%s\n", line.c_str());
    std::fclose(out);
    std::exit(0);
  }
  close(ends[1]);
  std::FILE* const in = fdopen(ends[0], "r");
  std::string line;
  for (int c; (c = std::fgetc(in)) != EOF;) {
    if (c != '\n') line += static_cast<char>(c);
    else lines.push_back(std::move(line)), line.clear();
  }
  std::fclose(in);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) lines.push_back(stored.id + " ended by signal " + std::to_string(WTERMSIG(status)));
  else if (WEXITSTATUS(status) != 0)
    lines.push_back(stored.id + " ended with status " + std::to_string(WEXITSTATUS(status)));
  return lines;
}

struct options {
  std::string suite, op, part;
  std::vector<std::string> files;
  bool verbose = false;

  bool select(stored_case const& c) const {
    return (suite.empty() || c.suite == suite) && (op.empty() || c.op == op) &&
           (part.empty() || c.id.find(part) != std::string::npos);
  }
};

options read_options(int argc, char** argv) {
  options o;
  for (int i = 1; i < argc; ++i) {
    std::string const argument = argv[i];
    std::string* const value = argument == "--suite"  ? &o.suite
                               : argument == "--op"   ? &o.op
                               : argument == "--only" ? &o.part
                                                      : nullptr;
    if (argument == "--verbose") o.verbose = true;
    else if (value && i + 1 < argc) *value = argv[++i];
    else o.files.push_back(argument);
  }
  return o;
}

struct tally {
  int cases = 0, passed = 0, failed = 0;
};

int report_all(int argc, char** argv) {
  options const chosen_options = read_options(argc, argv);
  std::vector<stored_case> cases;
  if (chosen_options.files.size() != 2) {
    std::fprintf(stderr,
                 "usage: conformance INDEX NUMBERS [--suite SUITE] [--op OP] [--only PART_OF_ID] [--verbose]\n");
    return 2;
  }
  if (!load(chosen_options.files[0], chosen_options.files[1], cases)) {
    std::fprintf(stderr, "conformance: cannot read '%s' and '%s'\n", chosen_options.files[0].c_str(),
                 chosen_options.files[1].c_str());
    return 2;
  }
  std::map<std::string, entry const*> code;
  for (std::span<entry const> unit : all_units())
    for (entry const& e : unit) code[e.id] = &e;

  std::map<std::string, tally> table;
  std::vector<std::string> failures, left_out;
  for (stored_case const& c : cases) {
    if (!chosen_options.select(c)) continue;
    if (chosen_options.verbose) std::printf("%s\n", c.id.c_str()), std::fflush(stdout);
    std::vector<std::string> wrong;
    auto const found = code.find(c.id);
    if (c.plan == "missing") wrong.push_back(c.id + " " + c.reason);
    else if (found == code.end()) wrong.push_back(c.id + " has no generated code");
    else if (found->second->trouble)
      wrong.push_back(c.id + " op " + c.op + " does not compile: " + found->second->trouble);
    else wrong = run_isolated(c, *found->second);
    if (found != code.end() && found->second->in_double && !found->second->in_float) left_out.push_back(c.id);
    tally& t = table[c.suite];
    ++t.cases;
    ++(wrong.empty() ? t.passed : t.failed);
    failures.insert(failures.end(), wrong.begin(), wrong.end());
  }

  for (std::string const& line : failures) std::printf("FAILED %s\n", line.c_str());
  for (std::string const& id : left_out) std::printf("not run in float (offset or scale beyond 1e2): %s\n", id.c_str());
  std::printf("\n%-16s %6s %7s %7s\n", "suite", "cases", "passed", "failed");
  tally all;
  for (auto const& [suite, t] : table) {
    std::printf("%-16s %6d %7d %7d\n", suite.c_str(), t.cases, t.passed, t.failed);
    all.cases += t.cases, all.passed += t.passed, all.failed += t.failed;
  }
  std::printf("%-16s %6d %7d %7d\n", "all", all.cases, all.passed, all.failed);
  if (all.cases == 0) {
    std::printf("FAILED no case was run\n");
    return 1;
  }
  return all.failed == 0 ? 0 : 1;
}

}  // namespace

}  // namespace conformance

int main(int argc, char** argv) { return conformance::report_all(argc, argv); }
