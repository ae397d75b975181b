#include "solver/operator_words.hpp"

#include <array>
#include <cmath>
#include <string>
#include <type_traits>

#include "solver/option_words.hpp"

namespace onehop {
namespace {

/// Returns what `Find` finds in an operator, or null if the operator lacks it.
template <auto Find>
double* in(dirac_operator& dirac) {
  return std::visit(
      [](auto& one) -> double* {
        if constexpr (std::is_invocable_v<decltype(Find), decltype(one)>) {
          return Find(one);
        } else {
          return nullptr;
        }
      },
      dirac);
}

constexpr std::array<operator_parameter, 5> parameters = {{
    {"mass", "mass", "Quark mass, in lattice units.",
     in<[](auto& one) -> decltype(&one.mass) { return &one.mass; }>},
    {"csw", "clover term", "Coefficient of the clover term.",
     in<[](auto& one) -> decltype(&one.csw) { return &one.csw; }>},
    {"mu", "twisted mass",
     "Twisted mass: + i mu gamma_5, the flavour tau_3 = +1; for wilson and clover.",
     in<[](auto& one) -> decltype(&one.mu) { return &one.mu; }>},
    {"u0", "tadpole factor", "Tadpole factor of asqtad: a path of n links is divided by u0^(n-1).",
     in<[](auto& one) -> decltype(&one.u0) { return &one.u0; }>},
    {"naik_epsilon", "Naik term to change",
     "Of hisq: the Naik term is taken 1 + E times, for heavy quarks.",
     in<[](auto& one) -> decltype(&one.naik_epsilon) { return &one.naik_epsilon; }>},
}};

/// Returns "naik_epsilon" for "--naik-epsilon".
std::string plain(std::string_view name) {
  std::string result(name.substr(name.starts_with("--") ? 2 : 0));
  std::ranges::replace(result, '-', '_');
  return result;
}

/// Returns the operators that have the parameter, as "wilson and clover".
std::string operators_with(const operator_parameter& parameter) {
  std::string result;
  for (const std::string_view name : option_words<dslash>::all) {
    dirac_operator dirac = operator_of(value_of<dslash>(name));
    if (parameter.in(dirac) != nullptr) result += text(result.empty() ? "" : " and ", name);
  }
  return result;
}

usage_error unknown_parameter(std::string_view name) {
  std::string known = "kappa";
  for (const operator_parameter& parameter : parameters) known += text(", ", parameter.name);
  return usage_error(text("no operator has a parameter ", name, "; there are ", known));
}

void set(dirac_operator& dirac, const named_value& given) {
  const auto found = std::ranges::find(parameters, plain(given.name), &operator_parameter::name);
  if (found == parameters.end()) throw unknown_parameter(given.name);
  double* const place = found->in(dirac);
  if (place == nullptr) {
    throw usage_error(text(given.name, " ", given.value, " is for ", operators_with(*found), "; ",
                           word_of(kind_of(dirac)), " has no ", found->term));
  }
  *place = given.value;
}

void set_mass(dirac_operator& dirac, const named_value* kappa, const named_value* mass) {
  const bool staggered = is_staggered(kind_of(dirac));
  if (kappa != nullptr && mass != nullptr) {
    throw usage_error(text(kappa->name, " ", kappa->value, " and ", mass->name, " ", mass->value,
                           " both given; give one of them"));
  }
  if (kappa == nullptr && mass == nullptr) {
    throw usage_error(
        text("the quark mass is missing; give ", staggered ? "mass" : "kappa or mass"));
  }
  if (mass != nullptr) return set(dirac, *mass);
  if (staggered) {
    throw usage_error(text(kappa->name, " ", kappa->value,
                           " is for wilson and clover; staggered quarks have a mass and no kappa"));
  }
  if (!(kappa->value > 0)) {
    throw usage_error(text(kappa->name, " ", kappa->value, ": a number above 0 is needed"));
  }
  dirac = with_mass(dirac, kappa_to_mass(kappa->value));
}

}  // namespace

std::span<const operator_parameter> operator_parameters() noexcept { return parameters; }

dirac_operator make_operator(std::string_view dslash, std::span<const named_value> values) {
  dirac_operator dirac = operator_of(value_of<onehop::dslash>(dslash));
  const named_value *kappa = nullptr, *mass = nullptr;
  for (const named_value& given : values) {
    if (!std::isfinite(given.value)) {
      throw usage_error(text(given.name, " ", given.value, ": a finite number is needed"));
    }
    const std::string name = plain(given.name);
    if (name == "kappa") {
      kappa = &given;
    } else if (name == "mass") {
      mass = &given;
    } else {
      set(dirac, given);
    }
  }
  set_mass(dirac, kappa, mass);
  return dirac;
}

}  // namespace onehop
