// This file is built once for each instruction set, which ONEHOP_APP_ISA names.
#include "row_kernels.hpp"

#include "lanes.hpp"

#include <common/instruction_sets.hpp>
#include <onehop/random.hpp>

#include <algorithm>

// Everything is inlined, because a function that is not inlined computes its addresses again for
// every vector.
#define SPIN_GLASS_INLINE inline __attribute__((always_inline))
#define SPIN_GLASS_INLINE_LAMBDA __attribute__((always_inline))

namespace spin_glass::ONEHOP_APP_ISA {
namespace {

template <class Vector>
Vector dot(const std::array<Vector, 3>& a, const std::array<Vector, 3>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// These point to the components of a row.
template <class Real>
using pointers = std::array<Real*, 3>;

template <class Real>
pointers<Real> pointers_to(const spin_rows<Real>& rows) {
  return {rows.data, rows.data + rows.pitch, rows.data + 2 * rows.pitch};
}

/// places are the places of rows, W at a time; `Odd` says whether the rows are odd.
template <class Real, int W, bool Odd>
class places {
 public:
  explicit places(const row_job<Real>& job)
      : spins_(pointers_to(job.spins)),
        same_(pointers_to(job.same)),
        below_y_(pointers_to(job.around[0])),
        above_y_(pointers_to(job.around[1])),
        below_z_(pointers_to(job.around[2])),
        above_z_(pointers_to(job.around[3])),
        end_(pointers_to(job.ends[Odd ? 1 : 0])),
        couplings_(pointers_to(job.couplings)),
        couplings_below_(job.couplings_below),
        end_couplings_(job.end_couplings),
        end_step_(job.end_step),
        first_row_(job.first_row),
        sites_(job.sites) {}

  /// Returns the place of number i of a row, counted through all rows.
  SPIN_GLASS_INLINE std::ptrdiff_t place(int row, int i) const {
    return static_cast<std::ptrdiff_t>(row) * sites_ + i;
  }
  SPIN_GLASS_INLINE std::array<lanes<Real, W>, 3> spin(int row, int i) const {
    const std::ptrdiff_t at = place(row, i);
    std::array<lanes<Real, W>, 3> s;
    for (std::size_t k = 0; k < 3; ++k) s[k] = load<Real, W>(spins_[k] + at);
    return s;
  }
  template <class Number>
  SPIN_GLASS_INLINE void set_spin(int row, int i, const std::array<lanes<Number, W>, 3>& s) const {
    const std::ptrdiff_t at = place(row, i);
    for (std::size_t k = 0; k < 3; ++k) store<Real, W>(spins_[k] + at, converted<Real, W>(s[k]));
  }

  /// Prefetches lines that no earlier row has read: the spins and their couplings, and among the
  /// neighbours those above in z. Half a kilobyte ahead is as good as a quarter, and better than
  /// more.
  SPIN_GLASS_INLINE void prefetch(int row, int i) const {
    const std::ptrdiff_t ahead = place(row, i) + 512 / static_cast<std::ptrdiff_t>(sizeof(Real));
    for (std::size_t k = 0; k < 3; ++k) {
      __builtin_prefetch(spins_[k] + ahead, 1);
      __builtin_prefetch(above_z_[k] + ahead);
      __builtin_prefetch(couplings_[k] + ahead);
      __builtin_prefetch(couplings_below_[k] + ahead);
    }
  }

  /// Returns the sum over the neighbours, in numbers of type Sum, always in the same order.
  template <class Sum>
  SPIN_GLASS_INLINE std::array<lanes<Sum, W>, 3> field(int row, int i) const {
    const std::ptrdiff_t at = place(row, i);
    const std::ptrdiff_t end = end_step_ == 0 ? (first_row_ + row) / 2 : row * end_step_;
    const auto here = [at](const Real* from)
                          SPIN_GLASS_INLINE_LAMBDA { return load<Real, W>(from + at); };
    const auto sum_of = [&](const Real* from)
                            SPIN_GLASS_INLINE_LAMBDA { return converted<Sum, W>(here(from)); };
    const lanes<Sum, W> ahead = sum_of(couplings_[0]);
    const lanes<Sum, W> behind = converted<Sum, W>(
        Odd ? here(couplings_below_[0])
            : beside(couplings_below_[0] + at, here(couplings_below_[0]), i, end_couplings_ + end));
    const lanes<Sum, W> j_below_y = sum_of(couplings_below_[1]), j_above_y = sum_of(couplings_[1]),
                        j_below_z = sum_of(couplings_below_[2]), j_above_z = sum_of(couplings_[2]);
    std::array<lanes<Sum, W>, 3> h;
    for (std::size_t k = 0; k < 3; ++k) {
      const lanes<Real, W> level = here(same_[k]);
      const lanes<Sum, W> near = converted<Sum, W>(level),
                          far = converted<Sum, W>(beside(same_[k] + at, level, i, end_[k] + end));
      h[k] = ahead * (Odd ? far : near) + behind * (Odd ? near : far);
      h[k] += j_below_y * sum_of(below_y_[k]);
      h[k] += j_above_y * sum_of(above_y_[k]);
      h[k] += j_below_z * sum_of(below_z_[k]);
      h[k] += j_above_z * sum_of(above_z_[k]);
    }
    return h;
  }

 private:
  /// Returns the sites after the places from i on in rows of odd sites, and the sites before them
  /// in other rows.
  SPIN_GLASS_INLINE lanes<Real, W> beside(const Real* from, const lanes<Real, W>& level, int i,
                                          const Real* end) const {
    if constexpr (Odd) return shifted<-1, Real, W>(level, i + W < sites_ ? from[W] : *end);
    return shifted<1, Real, W>(level, i > 0 ? from[-1] : *end);
  }

  pointers<Real> spins_;
  pointers<const Real> same_, below_y_, above_y_, below_z_, above_z_, end_;
  pointers<const Real> couplings_, couplings_below_;
  const Real* end_couplings_;
  std::ptrdiff_t end_step_;
  int first_row_, sites_;
};

/// Calls work(places, row, i) from place i on up to `last`, as many at a time as fit.
template <class Real, int W, bool Odd, class Work>
SPIN_GLASS_INLINE void along_rest(const row_job<Real>& job, int row, int i, int last,
                                  const Work& work) {
  const places<Real, W, Odd> at(job);
  for (; i + W <= last; i += W) work(at, row, i);
  if constexpr (W > 1) {
    if (i < last) along_rest<Real, W / 2, Odd>(job, row, i, last, work);
  }
}
template <class Real, int W, bool Odd, class Work>
SPIN_GLASS_INLINE void along_row(const places<Real, W, Odd>& at, const row_job<Real>& job, int row,
                                 const Work& work) {
  int i = Odd ? job.sites - job.last : job.first;
  const int last = Odd ? job.sites - job.first : job.last;
  for (; i + W <= last; i += W) work(at, row, i);
  if (i < last) along_rest<Real, W / 2, Odd>(job, row, i, last, work);
}
template <int W, class Real, class Work>
SPIN_GLASS_INLINE void for_rows(const row_job<Real>& job, const Work& work) {
  const places<Real, W, false> even(job);
  const places<Real, W, true> odd(job);
  int row = 0;
  if (job.odd && row < job.rows) along_row(odd, job, row++, work);
  while (row + 1 < job.rows) {
    along_row(even, job, row++, work);
    along_row(odd, job, row++, work);
  }
  if (row < job.rows) along_row(even, job, row, work);
}

/// Returns the spins turned about the field h.
template <class Real, class Vector>
SPIN_GLASS_INLINE std::array<Vector, 3> turned(const std::array<Vector, 3>& s,
                                               const std::array<Vector, 3>& h) {
  const Vector squared = dot(h, h), along = dot(h, s);
  const Vector twice = (along + along) / squared;
  std::array<Vector, 3> made;
  for (std::size_t k = 0; k < 3; ++k) made[k] = squared > Real{0} ? twice * h[k] - s[k] : s[k];
  return made;
}

template <class Real, int W, bool Odd>
SPIN_GLASS_INLINE void overrelax_at(const places<Real, W, Odd>& at, int row, int i) {
  at.template set_spin<Real>(row, i,
                             turned<Real>(at.spin(row, i), at.template field<Real>(row, i)));
}

/// Both kinds are separate functions, because in one function each would cost the other registers.
template <bool FromMemory, class Real>
__attribute__((noinline)) void overrelax_rows(const row_job<Real>& job) {
  for_rows<widest<Real>>(job, [](const auto& at, int row, int i) SPIN_GLASS_INLINE_LAMBDA {
    if constexpr (FromMemory) at.prefetch(row, i);
    overrelax_at(at, row, i);
  });
}

/// closed_rows are rows of whole vectors whose ends are neighbours and whose components all have
/// the same pitch. A few pointers, which move from vector to vector, and this pitch locate all
/// data. With a pointer for each array, or with base addresses and a common offset, the compiler
/// keeps many addresses in vector registers or on the stack, and moving them back takes as long as
/// the arithmetic.
template <class Real, bool OneVector>
class closed_rows {
 public:
  static constexpr int width = widest<Real>;
  using vector = lanes<Real, width>;

  explicit closed_rows(const row_job<Real>& job)
      : own_(job.spins.data),
        same_(job.same.data),
        below_z_(job.around[2].data),
        above_z_(job.around[3].data),
        couplings_(job.couplings.data),
        couplings_below_(job.couplings_below),
        pitch_(job.spins.pitch),
        sites_(OneVector ? width : job.sites) {}

  static bool fit(const row_job<Real>& job) {
    const auto alike = [&](const auto& rows) { return rows.pitch == job.spins.pitch; };
    return job.end_step != 0 && job.first == 0 && job.last == job.sites && job.sites % width == 0 &&
           alike(job.couplings) && std::ranges::all_of(job.around, alike);
  }

  /// Overrelaxes the next row.
  template <bool Odd>
  SPIN_GLASS_INLINE void overrelax() {
    const std::ptrdiff_t last = sites_ - width;
    if constexpr (OneVector) {
      turn<Odd>([](const Real* from) SPIN_GLASS_INLINE_LAMBDA { return rotated<Odd>(from); });
    } else if constexpr (Odd) {
      for (std::ptrdiff_t at = 0; at < last; at += width) turn<Odd>(beside<Odd>);
      turn<Odd>([last](const Real* from)
                    SPIN_GLASS_INLINE_LAMBDA { return beside_end<Odd>(from, from[-last]); });
    } else {
      turn<Odd>([end = sites_ - 1](const Real* from)
                    SPIN_GLASS_INLINE_LAMBDA { return beside_end<Odd>(from, from[end]); });
      for (std::ptrdiff_t at = 0; at < last; at += width) turn<Odd>(beside<Odd>);
    }
  }

 private:
  static SPIN_GLASS_INLINE vector here(const Real* from) { return load<Real, width>(from); }
  /// Return the sites after each place in rows of odd sites, and the sites before each place in
  /// other rows.
  template <bool Odd>
  static SPIN_GLASS_INLINE vector beside(const Real* from) {
    return here(from + (Odd ? 1 : -1));
  }
  template <bool Odd>
  static SPIN_GLASS_INLINE vector beside_end(const Real* from, Real end) {
    return shifted < Odd ? -1 : 1, Real, width > (here(from), end);
  }
  template <bool Odd>
  static SPIN_GLASS_INLINE vector rotated(const Real* from) {
    using index = std::conditional_t<sizeof(Real) == 4, std::int32_t, std::int64_t>;
    lanes<index, width> places;
    for (int k = 0; k < width; ++k) places[k] = (k + (Odd ? 1 : width - 1)) % width;
    return __builtin_shuffle(here(from), places);
  }

  /// The field is the sum that places::field returns, in the same order.
  template <bool Odd, class Beside>
  SPIN_GLASS_INLINE void turn(const Beside& beyond) {
    const vector ahead = here(couplings_),
                 behind = Odd ? here(couplings_below_[0]) : beyond(couplings_below_[0]);
    const vector j_below_y = here(couplings_below_[1]), j_above_y = here(couplings_ + pitch_),
                 j_below_z = here(couplings_below_[2]), j_above_z = here(couplings_ + 2 * pitch_);
    std::array<vector, 3> h;
    for (std::ptrdiff_t k = 0; k < 3; ++k) {
      const Real* const row = same_ + k * pitch_;
      const vector near = here(row), far = beyond(row);
      h[k] = ahead * (Odd ? far : near) + behind * (Odd ? near : far);
      h[k] += j_below_y * here(row - sites_);
      h[k] += j_above_y * here(row + sites_);
      h[k] += j_below_z * here(below_z_ + k * pitch_);
      h[k] += j_above_z * here(above_z_ + k * pitch_);
    }
    const auto s = turned<Real>({here(own_), here(own_ + pitch_), here(own_ + 2 * pitch_)}, h);
    for (std::ptrdiff_t k = 0; k < 3; ++k) store<Real, width>(own_ + k * pitch_, s[k]);
    advance();
  }

  void advance() {
    auto& [behind, j_below_y, j_below_z] = couplings_below_;
    own_ += width, same_ += width, below_z_ += width, above_z_ += width, couplings_ += width;
    behind += width, j_below_y += width, j_below_z += width;
    // The compiler must assume here that the pointers have changed. Otherwise it would compute them
    // again from a base and an offset, and it has no registers for all the bases.
    asm(""
        : "+r"(own_), "+r"(same_), "+r"(below_z_), "+r"(above_z_), "+r"(couplings_), "+r"(behind),
          "+r"(j_below_y), "+r"(j_below_z));
  }

  Real* own_;
  const Real *same_, *below_z_, *above_z_, *couplings_;
  std::array<const Real*, 3> couplings_below_;
  std::ptrdiff_t pitch_, sites_;
};

template <bool OneVector, class Real>
__attribute__((noinline)) void overrelax_closed(const row_job<Real>& job) {
  closed_rows<Real, OneVector> rows(job);
  int left = job.rows;
  if (job.odd) rows.template overrelax<true>(), --left;
  for (; left >= 2; left -= 2) {
    rows.template overrelax<false>();
    rows.template overrelax<true>();
  }
  if (left > 0) rows.template overrelax<false>();
}

template <class Real>
void overrelax(const row_job<Real>& job) {
  if (job.from_memory) return overrelax_rows<true>(job);
  if (!closed_rows<Real, false>::fit(job)) return overrelax_rows<false>(job);
  job.sites == widest<Real> ? overrelax_closed<true>(job) : overrelax_closed<false>(job);
}

/// Returns the cosine of the angle to the field, for a = beta |h| and u uniform in (0,1).
template <int W>
real_lanes<W> cosine_to_field(const real_lanes<W>& a, const real_lanes<W>& u) {
  const real_lanes<W> held = a > 1e-8 ? a : all_lanes<double, W>(1.0);
  const real_lanes<W> argument = u + (1.0 - u) * exponential<W>(held * -2.0);
  const real_lanes<W> drawn = 1.0 + logarithm<W>(argument) / held;
  const real_lanes<W> cosine = a > 1e-8 ? drawn : 2.0 * u - 1.0;
  return cosine > -1.0 ? cosine : all_lanes<double, W>(-1.0);
}

/// Returns a vector at the given angle to n, turned about n to a point of the circle. The two
/// vectors across n are those of Duff et al., "Building an orthonormal basis, revisited", JCGT 6
/// (2017), which need no branch.
template <int W>
std::array<real_lanes<W>, 3> turned_about(const std::array<real_lanes<W>, 3>& n,
                                          const real_lanes<W>& cosine,
                                          const point_on_circle<W>& way) {
  const real_lanes<W> sign = n[2] < 0.0 ? all_lanes<double, W>(-1.0) : all_lanes<double, W>(1.0);
  const real_lanes<W> a = -1.0 / (sign + n[2]), b = n[0] * n[1] * a;
  const std::array<real_lanes<W>, 3> across{1.0 + sign * n[0] * n[0] * a, sign * b, -sign * n[0]};
  const std::array<real_lanes<W>, 3> beside{b, sign + n[1] * n[1] * a, -n[1]};
  const real_lanes<W> rest = 1.0 - cosine * cosine;
  const real_lanes<W> sine = square_root<W>(rest > 0.0 ? rest : all_lanes<double, W>(0.0));
  std::array<real_lanes<W>, 3> s;
  for (std::size_t k = 0; k < 3; ++k)
    s[k] = cosine * n[k] + sine * (way.cosine * across[k] + way.sine * beside[k]);
  return s;
}

template <class Real, int W, bool Odd>
SPIN_GLASS_INLINE void heatbath_at(const places<Real, W, Odd>& at, int row, int i, double beta,
                                   const row_numbers<const double>& numbers) {
  using vector = real_lanes<W>;
  std::array<vector, 3> h = at.template field<double>(row, i);
  const vector length = square_root<W>(dot(h, h));
  const vector inverse = 1.0 / length;
  for (std::size_t k = 0; k < 3; ++k) {
    // Without a field, all directions are equally likely.
    const vector any = all_lanes<double, W>(k == 2 ? 1.0 : 0.0);
    h[k] = length > 0.0 ? h[k] * inverse : any;
  }
  const auto drawn = [place = at.place(row, i)](const double* from) {
    return load<double, W>(from + place);
  };
  const vector cosine = cosine_to_field<W>(beta * length, drawn(numbers.uniform));
  at.template set_spin<double>(
      row, i, turned_about<W>(h, cosine, {drawn(numbers.cosine), drawn(numbers.sine)}));
}

template <class Real>
void heatbath(const row_job<Real>& job, double beta, const row_numbers<const double>& numbers) {
  for_rows<widest<double>>(job, [&](const auto& at, int row, int i) SPIN_GLASS_INLINE_LAMBDA {
    heatbath_at(at, row, i, beta, numbers);
  });
}

template <class Real, int W, bool Odd>
SPIN_GLASS_INLINE void energies_at(const places<Real, W, Odd>& at, int row, int i, double* terms) {
  const std::array<lanes<Real, W>, 3> spin = at.spin(row, i);
  std::array<real_lanes<W>, 3> s;
  for (std::size_t k = 0; k < 3; ++k) s[k] = converted<double, W>(spin[k]);
  store<double, W>(terms + at.place(row, i), -dot(at.template field<double>(row, i), s));
}

template <class Real>
void energies(const row_job<Real>& job, double* terms) {
  for_rows<widest<double>>(job, [terms](const auto& at, int row, int i)
                                    SPIN_GLASS_INLINE_LAMBDA { energies_at(at, row, i, terms); });
}

template <int W>
void turn(const row_numbers<double>& numbers, int i) {
  const point_on_circle<W> way = around_circle<W>(load<double, W>(numbers.sine + i));
  store<double, W>(numbers.cosine + i, way.cosine);
  store<double, W>(numbers.sine + i, way.sine);
}

void draw(const random_stream& of, std::uint64_t site, int count,
          const row_numbers<double>& numbers) {
  constexpr int w = widest<double>;
  for (int i = 0; i < count; ++i) {
    const auto pair =
        onehop::site_random(of.seed, of.use, of.stream, site + 2 * static_cast<std::uint64_t>(i))
            .uniform_pair();
    numbers.uniform[i] = pair[0];
    numbers.sine[i] = pair[1];
  }
  int i = 0;
  for (; i + w <= count; i += w) turn<w>(numbers, i);
  for (; i < count; ++i) turn<1>(numbers, i);
}

}  // namespace

template <class Real>
row_kernels<Real> table() {
  return {ONEHOP_APP_TEXT(ONEHOP_APP_ISA),
          vector_bytes / static_cast<int>(sizeof(Real)),
          overrelax<Real>,
          heatbath<Real>,
          energies<Real>,
          draw};
}
template row_kernels<float> table<float>();
template row_kernels<double> table<double>();

}  // namespace spin_glass::ONEHOP_APP_ISA
