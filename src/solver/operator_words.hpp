#pragma once
/// This file names operators and their parameters as Python and the command line do.

#include <onehop/dirac_operator.hpp>

#include <span>
#include <string_view>

namespace onehop {

struct operator_parameter {
  std::string_view name;
  std::string_view term;  ///< term of the operator that this parameter belongs to
  std::string_view help;
  /// Returns the parameter of this operator, or null if it has none.
  double* (*in)(dirac_operator& dirac);
};
/// Returns all parameters of any operator. In addition, `kappa` may replace the mass of wilson and
/// clover.
std::span<const operator_parameter> operator_parameters() noexcept;

struct named_value {
  std::string_view name;
  double value;
};
/// Makes the operator with this name, with kappa or mass, and defaults for the rest. A parameter
/// may be given by its option name, "--naik-epsilon", which messages then quote. Throws usage_error
/// for a parameter that this operator does not have, and unless the mass is given exactly once.
dirac_operator make_operator(std::string_view dslash, std::span<const named_value> values);

}  // namespace onehop
