// This file is built once for each instruction set: SPIN_GLASS_ISA names it.
#include "row_kernels.hpp"

#include "lanes.hpp"

#include <onehop/random.hpp>

// What is not inlined computes its addresses again for every vector.
#define SPIN_GLASS_INLINE inline __attribute__((always_inline))
#define SPIN_GLASS_INLINE_LAMBDA __attribute__((always_inline))

namespace spin_glass::SPIN_GLASS_ISA {
namespace {

#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
#elif defined(__AVX__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif

template <class Vector>
Vector dot(const std::array<Vector, 3>& a, const std::array<Vector, 3>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// The places of rows, W at a time; `Odd` says of which rows.
template <class Real, int W, bool Odd>
class places {
 public:
  explicit places(const row_job<Real>& job)
      : spins_(job.spins),
        same_(job.same),
        around_(job.around),
        couplings_(job.couplings),
        below_(job.couplings_below),
        end_(job.ends[Odd ? 1 : 0]),
        end_couplings_(job.end_couplings),
        end_step_(job.end_step),
        first_row_(job.first_row),
        sites_(job.sites) {}

  /// Counted through all rows.
  SPIN_GLASS_INLINE std::ptrdiff_t place(int row, int i) const {
    return static_cast<std::ptrdiff_t>(row) * sites_ + i;
  }
  SPIN_GLASS_INLINE std::array<lanes<Real, W>, 3> spin(int row, int i) const {
    const std::ptrdiff_t at = place(row, i);
    std::array<lanes<Real, W>, 3> s;
    for (int k = 0; k < 3; ++k) s[k] = load<Real, W>(spins_.data + k * spins_.pitch + at);
    return s;
  }
  template <class Number>
  SPIN_GLASS_INLINE void set_spin(int row, int i, const std::array<lanes<Number, W>, 3>& s) const {
    const std::ptrdiff_t at = place(row, i);
    for (int k = 0; k < 3; ++k)
      store<Real, W>(spins_.data + k * spins_.pitch + at, converted<Real, W>(s[k]));
  }

  /// The sum over the neighbours, in numbers of type Sum, always in the same order.
  template <class Sum>
  SPIN_GLASS_INLINE std::array<lanes<Sum, W>, 3> field(int row, int i) const {
    const std::ptrdiff_t first = place(row, 0), at = first + i;
    const auto sum_of = [at](const Real* from) SPIN_GLASS_INLINE_LAMBDA {
      return converted<Sum, W>(load<Real, W>(from + at));
    };
    const std::ptrdiff_t end = end_step_ == 0 ? (first_row_ + row) / 2 : row * end_step_;
    const lanes<Sum, W> ahead = sum_of(couplings_[0]);
    const lanes<Sum, W> behind =
        Odd ? sum_of(below_[0])
            : converted<Sum, W>(shifted(below_[0] + first, i, end_couplings_ + end));
    const std::array<lanes<Sum, W>, 4> j{sum_of(below_[1]), sum_of(couplings_[1]),
                                         sum_of(below_[2]), sum_of(couplings_[2])};
    std::array<lanes<Sum, W>, 3> h;
    for (int k = 0; k < 3; ++k) {
      const Real* const same = same_.data + k * same_.pitch;
      const lanes<Sum, W> level = sum_of(same);
      const lanes<Sum, W> beside =
          converted<Sum, W>(shifted(same + first, i, end_.data + k * end_.pitch + end));
      h[k] = ahead * (Odd ? beside : level) + behind * (Odd ? level : beside);
      for (int n = 0; n < 4; ++n) h[k] += j[n] * sum_of(around_[n].data + k * around_[n].pitch);
    }
    return h;
  }

 private:
  /// What lies after each place in rows of odd sites, before each place in others.
  SPIN_GLASS_INLINE lanes<Real, W> shifted(const Real* row, int i, const Real* end) const {
    const lanes<Real, W> here = load<Real, W>(row + i);
    if constexpr (Odd) {
      return shifted_down<Real, W>(here, i + W < sites_ ? row[i + W] : *end);
    } else {
      return shifted_up<Real, W>(i > 0 ? row[i - 1] : *end, here);
    }
  }

  spin_rows<Real> spins_;
  spin_rows<const Real> same_;
  std::array<spin_rows<const Real>, 4> around_;
  std::array<const Real*, 3> couplings_, below_;
  spin_rows<const Real> end_;
  const Real* end_couplings_;
  std::ptrdiff_t end_step_;
  int first_row_, sites_;
};

/// work(places, row, i) from place i on up to `last`, as many at a time as fit.
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

/// Lanes of a vector of the largest numbers that a kernel computes with.
template <class Real>
constexpr int widest = vector_bytes / static_cast<int>(sizeof(Real));

template <class Real, int W, bool Odd>
SPIN_GLASS_INLINE void overrelax_at(const places<Real, W, Odd>& at, int row, int i) {
  using vector = lanes<Real, W>;
  const std::array<vector, 3> h = at.template field<Real>(row, i);
  const std::array<vector, 3> s = at.spin(row, i);
  const vector squared = dot(h, h), along = dot(h, s);
  const vector twice = (along + along) / squared;
  std::array<vector, 3> turned;
  for (std::size_t k = 0; k < 3; ++k) turned[k] = squared > Real{0} ? twice * h[k] - s[k] : s[k];
  at.template set_spin<Real>(row, i, turned);
}

template <class Real>
void overrelax(const row_job<Real>& job) {
  for_rows<widest<Real>>(job, [](const auto& at, int row, int i)
                                  SPIN_GLASS_INLINE_LAMBDA { overrelax_at(at, row, i); });
}

/// cos of the angle to the field, for a = beta |h| and u uniform in (0,1).
template <int W>
real_lanes<W> cosine_to_field(const real_lanes<W>& a, const real_lanes<W>& u) {
  const real_lanes<W> held = a > 1e-8 ? a : all_lanes<double, W>(1.0);
  const real_lanes<W> argument = u + (1.0 - u) * exponential<W>(held * -2.0);
  const real_lanes<W> drawn = 1.0 + logarithm<W>(argument) / held;
  const real_lanes<W> cosine = a > 1e-8 ? drawn : 2.0 * u - 1.0;
  return cosine > -1.0 ? cosine : all_lanes<double, W>(-1.0);
}

/// A vector at that angle to n, turned about it by a random one. The two vectors across n are those
/// of Duff et al., "Building an orthonormal basis, revisited", JCGT 6 (2017), which need no branch.
template <int W>
std::array<real_lanes<W>, 3> turned_about(const std::array<real_lanes<W>, 3>& n,
                                          const real_lanes<W>& cosine, const real_lanes<W>& turn) {
  const real_lanes<W> sign = n[2] < 0.0 ? all_lanes<double, W>(-1.0) : all_lanes<double, W>(1.0);
  const real_lanes<W> a = -1.0 / (sign + n[2]), b = n[0] * n[1] * a;
  const std::array<real_lanes<W>, 3> across{1.0 + sign * n[0] * n[0] * a, sign * b, -sign * n[0]};
  const std::array<real_lanes<W>, 3> beside{b, sign + n[1] * n[1] * a, -n[1]};
  const real_lanes<W> rest = 1.0 - cosine * cosine;
  const real_lanes<W> sine = square_root<W>(rest > 0.0 ? rest : all_lanes<double, W>(0.0));
  const point_on_circle<W> way = around_circle<W>(turn);
  std::array<real_lanes<W>, 3> s;
  for (std::size_t k = 0; k < 3; ++k)
    s[k] = cosine * n[k] + sine * (way.cosine * across[k] + way.sine * beside[k]);
  return s;
}

template <class Real, int W, bool Odd>
SPIN_GLASS_INLINE void heatbath_at(const places<Real, W, Odd>& at, int row, int i, double beta,
                                   const row_numbers& numbers) {
  using vector = real_lanes<W>;
  std::array<vector, 3> h = at.template field<double>(row, i);
  const vector length = square_root<W>(dot(h, h));
  for (std::size_t k = 0; k < 3; ++k) {
    // Without a field any direction is as good.
    const vector any = all_lanes<double, W>(k == 2 ? 1.0 : 0.0);
    h[k] = length > 0.0 ? h[k] / length : any;
  }
  const std::ptrdiff_t place = at.place(row, i);
  const vector cosine = cosine_to_field<W>(beta * length, load<double, W>(numbers.first + place));
  at.template set_spin<double>(row, i,
                               turned_about<W>(h, cosine, load<double, W>(numbers.second + place)));
}

template <class Real>
void heatbath(const row_job<Real>& job, double beta, const row_numbers& numbers) {
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

void draw(const random_stream& of, std::uint64_t site, int count, double* first, double* second) {
  for (int i = 0; i < count; ++i) {
    const auto pair =
        onehop::site_random(of.seed, of.use, of.stream, site + 2 * static_cast<std::uint64_t>(i))
            .uniform_pair();
    first[i] = pair[0];
    second[i] = pair[1];
  }
}

}  // namespace

#define SPIN_GLASS_TEXT_OF(name) #name
#define SPIN_GLASS_TEXT(name) SPIN_GLASS_TEXT_OF(name)

template <class Real>
row_kernels<Real> table() {
  return {SPIN_GLASS_TEXT(SPIN_GLASS_ISA),
          vector_bytes / static_cast<int>(sizeof(Real)),
          overrelax<Real>,
          heatbath<Real>,
          energies<Real>,
          draw};
}
template row_kernels<float> table<float>();
template row_kernels<double> table<double>();

}  // namespace spin_glass::SPIN_GLASS_ISA
