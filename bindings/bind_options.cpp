#include "bind.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>
#include <onehop/improved_links.hpp>
#include <onehop/solver_options.hpp>

#include <functional>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "base/environment.hpp"
#include "solver/operator_words.hpp"
#include "solver/option_words.hpp"
#include "solver/requirements.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace onehop;

namespace {

double number_from(const std::string& name, nb::handle value) {
  double number = 0;
  if (nb::try_cast(value, number)) return number;
  throw usage_error(
      text(name, " is of type ", nb::type_name(value.type()).c_str(), ": give a number"));
}

/// Throws usage_error for values without names, which could be told apart only by their order.
void require_named(const nb::args& positional, const char* type, const std::string& known,
                   const char* example) {
  if (positional.size() > 0)
    throw usage_error(text("onehop.", type, " takes no values without names: name what is given, ",
                           known, ", as in onehop.", type, "(", example, ")"));
}

/// Makes an operator from names as the user gave them, which messages quote. None stands for a
/// parameter that was not given.
dirac_operator operator_from(std::string_view dslash, const nb::dict& parameters) {
  std::vector<std::string> names;
  std::vector<double> values;
  for (const auto& [name, value] : parameters) {
    if (value.is_none()) continue;
    names.push_back(nb::cast<std::string>(name));
    values.push_back(number_from(names.back(), value));
  }
  std::vector<named_value> given;
  for (std::size_t k = 0; k < names.size(); ++k) given.push_back({names[k], values[k]});
  return make_operator(dslash, given);
}

/// A parameter is described with its default, if it has one, and the operators that have it.
using described =
    std::tuple<std::string, std::string, std::optional<double>, std::vector<std::string>>;

template <class Has>
std::vector<std::string> operators_where(const Has& has) {
  std::vector<std::string> found;
  for (const std::string_view word : option_words<dslash>::all) {
    dirac_operator dirac = operator_of(value_of<dslash>(word));
    if (has(dirac)) found.emplace_back(word);
  }
  return found;
}

/// Returns every parameter of an operator, and kappa if it may replace the mass.
std::vector<described> all_parameters() {
  std::vector<described> all;
  all.emplace_back(
      "kappa", "Hopping parameter 1/(2(4+m)), not for staggered.", std::nullopt,
      operators_where([](const dirac_operator& dirac) { return !is_staggered(kind_of(dirac)); }));
  for (const operator_parameter& parameter : operator_parameters()) {
    const auto has =
        operators_where([&](dirac_operator& dirac) { return parameter.in(dirac) != nullptr; });
    dirac_operator usual = operator_of(value_of<dslash>(has.front()));
    std::optional<double> value;
    if (parameter.name != "mass") value = *parameter.in(usual);
    all.emplace_back(parameter.name, parameter.help, value, has);
  }
  return all;
}

/// Binds the constructor, attributes and text of a type of operator, all from the table of
/// parameters.
template <class Operator>
void bind_operator(nb::module_& m, const char* name, const char* doc) {
  nb::class_<Operator> type(m, name, doc);
  dirac_operator usual{Operator{}};
  const std::string word(word_of(kind_of(usual)));
  const bool has_kappa = !is_staggered(kind_of(usual));
  std::string signature = "def __init__(self, *, ", known = has_kappa ? "kappa" : "";
  signature += has_kappa ? "kappa: float | None = None, mass: float | None = None" : "mass: float";
  for (const operator_parameter& parameter : operator_parameters()) {
    const double* value = parameter.in(usual);
    if (value == nullptr) continue;
    const std::string attribute(parameter.name);
    known += (known.empty() ? "" : ", ") + attribute;
    const std::string help(parameter.help);
    type.def_prop_ro(
        attribute.c_str(),
        [find = parameter.in](const Operator& self) {
          dirac_operator dirac = self;
          return *find(dirac);
        },
        help.c_str());
    if (attribute != "mass") signature += text(", ", attribute, ": float = ", *value);
  }
  signature += ") -> None";
  type.def(
      "__init__",
      [word, name, known, has_kappa](Operator* self, const nb::args& positional,
                                     const nb::kwargs& parameters) {
        require_named(positional, name, known, has_kappa ? "kappa=0.13" : "mass=0.05");
        new (self) Operator(std::get<Operator>(operator_from(word, parameters)));
      },
      nb::sig(signature.c_str()));
  type.def_prop_ro("dslash", [word](const Operator&) { return word; });
  type.def_prop_ro(
      "components", [](const Operator& self) { return components(kind_of(self)); },
      "Complex numbers per site: 12 or 3.");
  type.def_prop_ro(
      "reach", [](const Operator& self) { return reach(kind_of(self)); },
      "Number of sites that a hop reaches: 3 with Naik links, otherwise 1.");
  type.def(
      "with_mass",
      [](const Operator& self, double mass) {
        return std::get<Operator>(with_mass(dirac_operator(self), mass));
      },
      "mass"_a, "Returns the same operator with another mass.");
  type.def("__getstate__", [](const Operator& self) {
    dirac_operator dirac = self;
    std::vector<double> values;
    for (const operator_parameter& parameter : operator_parameters())
      if (const double* value = parameter.in(dirac)) values.push_back(*value);
    return values;
  });
  type.def("__setstate__", [](Operator& self, const std::vector<double>& values) {
    dirac_operator dirac{Operator{}};
    auto next = values.begin();
    for (const operator_parameter& parameter : operator_parameters())
      if (double* value = parameter.in(dirac)) *value = next != values.end() ? *next++ : *value;
    new (&self) Operator(std::get<Operator>(dirac));
  });
  type.def("__repr__", [name](const Operator& self) {
    dirac_operator dirac = self;
    std::string shown;
    for (const operator_parameter& parameter : operator_parameters()) {
      const double* value = parameter.in(dirac);
      if (value) shown += text(shown.empty() ? "" : ", ", parameter.name, "=", *value);
    }
    return text(name, "(", shown, ")");
  });
}

void bind_operators(nb::module_& m) {
  bind_operator<wilson>(
      m, "Wilson",
      "Wilson quarks with kappa or mass, and a twisted mass mu, in lattice units.\n\n"
      ">>> onehop.Wilson(kappa=0.125)\n"
      "Wilson(mass=0, mu=0)\n"
      ">>> up = onehop.Wilson(kappa=0.12, mu=0.01)     # the flavour tau_3 = +1\n"
      ">>> onehop.solve(gauge, up).converged\n"
      "True");
  bind_operator<clover>(m, "Clover",
                        "Wilson quarks with a clover term of coefficient csw; kappa or mass, and "
                        "mu, as for Wilson.\n\n"
                        ">>> onehop.solve(gauge, onehop.Clover(kappa=0.12, csw=1.0)).converged\n"
                        "True");
  bind_operator<staggered>(m, "Staggered",
                           "Staggered quarks with a mass in lattice units.\n\n"
                           ">>> onehop.solve(gauge, onehop.Staggered(mass=0.5)).propagator.shape\n"
                           "(3, 8, 4, 4, 4, 3)");
  bind_operator<asqtad>(m, "Asqtad",
                        "Asqtad quarks with a tadpole factor u0.\n\n"
                        ">>> onehop.solve(gauge, onehop.Asqtad(mass=0.5, u0=0.9)).converged\n"
                        "True");
  bind_operator<hisq>(m, "Hisq",
                      "HISQ quarks, with a naik_epsilon for heavy quarks.\n\n"
                      ">>> epsilon = onehop.tree_level_naik_epsilon(0.6)\n"
                      ">>> charm = onehop.Hisq(mass=0.6, naik_epsilon=epsilon)\n"
                      ">>> onehop.solve(gauge, charm).converged\n"
                      "True");
  m.def("make_operator", &operator_from, "dslash"_a, "parameters"_a,
        "Returns the operator with this name. Raises UsageError for a parameter that it does not "
        "have, and unless its mass is given exactly once. Names with dashes, as of options, are "
        "quoted as they are.");
  m.def("operator_parameters", &all_parameters,
        "Returns name, help, default if any, and operators of each parameter that make_operator "
        "takes.");
  m.def("dslash_names", [] {
    const auto& all = option_words<dslash>::all;
    return std::vector<std::string>(all.begin(), all.end());
  });
  m.def("kappa_to_mass", &kappa_to_mass, "kappa"_a,
        "Returns m = 1/(2 kappa) - 4, in lattice units.\n\n"
        ">>> onehop.kappa_to_mass(0.125)\n"
        "0.0");
  m.def("tree_level_naik_epsilon", &tree_level_naik_epsilon, "mass"_a,
        "Returns the naik_epsilon with which a free HISQ quark of this mass, in lattice units, has "
        "the speed of light 1 near rest.\n\n"
        ">>> round(onehop.tree_level_naik_epsilon(0.6), 3)\n"
        "-0.208");
}

/// An option_list holds the attributes of SolveOptions, and for each how to store a Python value in
/// it.
class option_list {
 public:
  using setter = std::function<void(solve_options&, nb::handle)>;

  explicit option_list(nb::class_<solve_options>& type) : type_(type) {}

  template <class T>
  void add(const char* name, T solve_options::*member, const char* help) {
    if constexpr (std::is_enum_v<T>) {
      add_as<std::string>(
          name, "str", help,
          [member](const solve_options& o) { return std::string(word_of(o.*member)); },
          [member](solve_options& o, const std::string& word) { o.*member = value_of<T>(word); });
      nb::list words;
      for (const std::string_view word : option_words<T>::all) words.append(std::string(word));
      choices_[name] = nb::tuple(words);
    } else {
      const char* shown = std::is_same_v<T, bool>  ? "bool"
                          : std::is_same_v<T, int> ? "int"
                                                   : "float";
      add_as<T>(
          name, shown, help, [member](const solve_options& o) { return o.*member; },
          [member](solve_options& o, T value) { o.*member = value; });
    }
  }
  /// Adds an integer; None stands for the 0 that leaves the choice open.
  void add_open(const char* name, int solve_options::*member, const char* help) {
    add_as<std::optional<int>>(
        name, "int | None", help,
        [member](const solve_options& o) {
          return o.*member == 0 ? std::nullopt : std::optional(o.*member);
        },
        [member, name](solve_options& o, std::optional<int> value) {
          if (value == 0) throw usage_error("right-hand sides 0 at a time; give 1 or more");
          o.*member = value.value_or(0);
        });
  }

  void set_choices(const char* name, std::initializer_list<int> numbers) {
    nb::list all;
    for (const int number : numbers) all.append(number);
    choices_[name] = nb::tuple(all);
  }

  void finish() {
    const auto fill = [setters = setters_](solve_options& options, const nb::dict& values) {
      for (const auto& [name, value] : values) {
        const auto word = nb::cast<std::string>(name);
        const auto found = setters->find(word);
        if (found == setters->end()) throw unknown(word, *setters);
        found->second(options, value);
      }
    };
    const nb::tuple names(names_);
    const auto known = nb::cast<std::string>(nb::str(", ").attr("join")(names_));
    type_.def(
        "__init__",
        [fill, known](solve_options* self, const nb::args& positional, const nb::kwargs& values) {
          require_named(positional, "SolveOptions", known, "tol=1e-8");
          new (self) solve_options();
          fill(*self, values);
        },
        nb::sig(("def __init__(self, *" + signature_ + ") -> None").c_str()));
    type_.def(
        "replace",
        [fill](const solve_options& self, const nb::kwargs& values) {
          solve_options result = self;
          fill(result, values);
          return result;
        },
        "Returns the same options with new values for those that are named.");
    type_.def("__getstate__", [](nb::handle self) {
      nb::dict values;
      for (const nb::handle name : self.type().attr("names")) values[name] = self.attr(name);
      return values;
    });
    type_.def("__setstate__", [fill](solve_options& self, const nb::dict& values) {
      new (&self) solve_options();
      fill(self, values);
    });
    type_.attr("names") = names;
    type_.def("__repr__", [names](nb::handle self) {
      // Options that have their default values are left out.
      const nb::object usual = self.type()();
      nb::list shown;
      for (const nb::handle name : names) {
        const nb::object value = self.attr(name);
        if (!value.equal(usual.attr(name))) shown.append(nb::str("{}={!r}").format(name, value));
      }
      return nb::str("SolveOptions({})").format(nb::str(", ").attr("join")(shown));
    });
    type_.attr("choices") = choices_;
    type_.attr("help") = help_;
  }

 private:
  static nb::builtin_exception unknown(const std::string& word,
                                       const std::map<std::string, setter>& setters) {
    std::vector<std::string_view> known;
    for (const auto& each : setters) known.push_back(each.first);
    return nb::type_error(
        text("a solve has no option '", word, "'; the nearest is '", nearest_name(word, known), "'")
            .c_str());
  }

  template <class T, class Get, class Set>
  void add_as(const char* name, const char* shown, const char* help, Get get, Set set) {
    type_.def_prop_rw(name, get, set, help);
    (*setters_)[name] = [name, set](solve_options& options, nb::handle value) {
      try {
        set(options, nb::cast<T>(value));
      } catch (const nb::cast_error&) {
        throw nb::type_error(text(name, " cannot be ", nb::repr(value).c_str()).c_str());
      }
    };
    const nb::object usual = nb::cast(get(solve_options{}));
    signature_ += text(", ", name, ": ", shown, " = ", nb::repr(usual).c_str());
    names_.append(name);
    help_[name] = help;
  }

  nb::class_<solve_options>& type_;
  std::shared_ptr<std::map<std::string, setter>> setters_ =
      std::make_shared<std::map<std::string, setter>>();
  std::string signature_;
  nb::list names_;
  nb::dict choices_, help_;
};

solve_options with_operator(solve_options options, const dirac_operator& dirac) {
  options.dirac = dirac;
  return options;
}

void bind_solve_options(nb::module_& m) {
  nb::class_<solve_options> type(
      m, "SolveOptions",
      "How M x = b is solved. `choices` lists the allowed words.\n\n"
      ">>> options = onehop.SolveOptions(solver='bicgstab', prec='mixed', tol=1e-8)\n"
      ">>> onehop.solve(gauge, kappa=0.12, options=options).converged\n"
      "True\n"
      ">>> options.replace(max_iter=20).max_iter\n"
      "20");
  option_list options(type);
  options.add("solver", &solve_options::solver,
              "The algorithm; bicgstab is for wilson and clover, pipelined-cg needs one reduction "
              "an iteration, which travels while the operator works, block-cg lets the sources of "
              "rhs search together and so needs fewer, for staggered quarks always in the "
              "solution's precision.");
  options.add("prec", &solve_options::precision,
              "Precision of the solve; half (16-bit fixed point) is corrected in single, mixed is "
              "single corrected in double.");
  options.add("recon", &solve_options::recon,
              "Reals a link is kept in; those of the coarse links where a solve is corrected.");
  options.set_choices("recon", {18, 12, 8});
  options.add_open("rhs", &solve_options::rhs,
                   "Sources solved together, which share links, faces and reductions and change no "
                   "bit but with block-cg (default: what onehop tune dslash found, else 4; of "
                   "block-cg 12; all where there are fewer).");
  options.add("tol", &solve_options::tolerance, "Goal for |b - M x| / |b|.");
  options.add("max_iter", &solve_options::max_iterations,
              "Give up a source after so many iterations.");
  options.add("boundary", &solve_options::boundary, "Boundary condition of the quarks in time.");
  options.add("threads", &solve_options::threads, "Threads that share a rank's work.");
  options.add("device", &solve_options::device,
              "Where kernels run: cores of the host, or a CUDA device for each rank.");
  options.add("share_device", &solve_options::share_device,
              "Several ranks of a machine may compute on one device.");
  options.add("overlap", &solve_options::overlap,
              "Compute while faces travel: not at all, the interior, or face by face.");
  options.finish();
  type.def(
      "check",
      [](const solve_options& self, const std::optional<dirac_operator>& dirac) {
        checked(with_operator(self, dirac.value_or(wilson{})));
      },
      "operator"_a = nb::none(),
      "Raises UsageError for options that no solve, or no solve with this operator, supports.");
  const auto def_several = [&](const char* name, const auto& require, const char* doc) {
    m.def(
        name,
        [require](const std::vector<double>& values, const dirac_operator& dirac,
                  const std::optional<solve_options>& how) {
          require(values, with_operator(how.value_or(solve_options{}), dirac));
        },
        "values"_a, "operator"_a, "options"_a = nb::none(), doc);
  };
  def_several("check_shifts", require_shifts,
              "Raises UsageError unless solve_shifted accepts them.");
  def_several("check_masses", require_masses,
              "Raises UsageError unless solve_masses accepts them.");
}

}  // namespace

void bind_options(nb::module_& m) {
  bind_operators(m);
  bind_solve_options(m);
}
