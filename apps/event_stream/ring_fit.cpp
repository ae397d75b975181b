// This file is built once for each instruction set, which ONEHOP_APP_ISA names.
//
// The fit begins with the algebraic circle (Kasa, IEEE Trans. Instrum. Meas. 25, 8, 1976; for rings
// Crawford, NIM 211, 223, 1983), whose equations are linear, and takes two Gauss-Newton steps
// towards the geometric one. A bias of second order remains (Box, J. Roy. Stat. Soc. B 33, 171,
// 1971): for n hits around the whole ring, the radius is biased by its error times deviation /
// (radius sqrt(n)).

#include "ring_fit.hpp"

#include "circle_lanes.hpp"

#include <common/instruction_sets.hpp>

#include <algorithm>

namespace event_stream::ONEHOP_APP_ISA {
ring_kernels table();

namespace {

lanes load(const per_lane<float>& from, std::size_t first) {
  lanes value;
  std::memcpy(&value, from.data() + first, sizeof value);
  return value;
}
lanes root_of(lanes x) {
  lanes root;
  for (std::size_t k = 0; k < width; ++k) root[k] = __builtin_sqrtf(x[k]);
  return root;
}
lanes where(mask chosen, lanes value, lanes other) { return chosen ? value : other; }

constexpr lanes none{};

/// A triple contains the circle's parameters: centre x, centre y, radius.
struct triple {
  lanes x, y, r;
};

/// A matrix is symmetric; its rows and columns are the circle's parameters.
struct matrix {
  lanes xx, xy, xr, yy, yr, rr;

  matrix inverse() const {
    const lanes a = yy * rr - yr * yr, b = xr * yr - xy * rr, c = xy * yr - xr * yy;
    const lanes determinant = xx * a + xy * b + xr * c;
    const lanes one = none + 1.0F;
    const lanes scale = one / where(determinant > 1e-3F, determinant, one);
    return {a * scale,
            b * scale,
            c * scale,
            (xx * rr - xr * xr) * scale,
            (xy * xr - xx * yr) * scale,
            (xx * yy - xy * xy) * scale};
  }
  triple times(const triple& v) const {
    return {xx * v.x + xy * v.y + xr * v.r, xy * v.x + yy * v.y + yr * v.r,
            xr * v.x + yr * v.y + rr * v.r};
  }
};

/// These are sums over the hits at one circle. u is the unit vector from the centre to a hit, and d
/// the distance of the hit from the circle.
struct circle_sums {
  matrix curvature{none, none, none, none, none, none};  ///< sum of (u, 1) (u, 1)
  triple slope{none, none, none};                        ///< sum of d (u, 1)
  lanes square = none;                                   ///< sum of d^2
};

class fit {
 public:
  /// A fit handles lanes `first`, first + 1, ... of the group.
  fit(const ring_group& hits, std::size_t first)
      : hits_(hits),
        first_(first),
        count_(load(hits.hits, first)),
        least_count_(where(count_ > 0.5F, count_, none + 1.0F)) {
    for (std::size_t k = 0; k < width; ++k)
      last_ = std::max(last_, static_cast<std::size_t>(count_[k]));
    each([&](lanes x, lanes y) {
      mean_.x += x;
      mean_.y += y;
    });
    mean_.x /= least_count_;
    mean_.y /= least_count_;
  }

  /// Sets the circle to the algebraic one. Returns the lanes in which the hits determine it.
  mask begin() {
    lanes uu = none, uv = none, vv = none, uz = none, vz = none;
    around_mean([&](lanes u, lanes v) {
      const lanes z = u * u + v * v;
      uu += u * u;
      uv += u * v;
      vv += v * v;
      uz += u * z;
      vz += v * z;
    });
    const lanes determinant = uu * vv - uv * uv;
    const mask determined = (count_ > 2.5F) & (determinant > 1e-6F * uu * vv);
    const lanes half = 0.5F / where(determined, determinant, none + 1.0F);
    at_.x = where(determined, (uz * vv - vz * uv) * half, none);
    at_.y = where(determined, (vz * uu - uz * uv) * half, none);
    at_.r = root_of(at_.x * at_.x + at_.y * at_.y + (uu + vv) / least_count_);
    return determined;
  }

  circle_sums sums() const {
    circle_sums found;
    around_circle([&](lanes ux, lanes uy, lanes length) {
      const lanes d = length - at_.r;
      matrix& a = found.curvature;
      a.xx += ux * ux;
      a.xy += ux * uy;
      a.xr += ux;
      a.yy += uy * uy;
      a.yr += uy;
      found.slope.x += d * ux;
      found.slope.y += d * uy;
      found.slope.r += d;
      found.square += d * d;
    });
    found.curvature.rr = count_;
    return found;
  }
  void step(const triple& by) {
    at_.x += by.x;
    at_.y += by.y;
    at_.r += by.r;
  }
  triple circle() const { return {at_.x + mean_.x, at_.y + mean_.y, at_.r}; }

 private:
  /// Calls `add` with each hit, and with (0, 0) for lanes that do not have this hit.
  template <class Add>
  void each(Add add) const {
    for (std::size_t h = 0; h < last_; ++h) {
      const mask here = count_ > static_cast<float>(h) + 0.5F;
      add(where(here, load(hits_.x[h], first_), none), where(here, load(hits_.y[h], first_), none));
    }
  }
  template <class Add>
  void around_mean(Add add) const {
    for (std::size_t h = 0; h < last_; ++h) {
      const mask here = count_ > static_cast<float>(h) + 0.5F;
      add(where(here, load(hits_.x[h], first_) - mean_.x, none),
          where(here, load(hits_.y[h], first_) - mean_.y, none));
    }
  }
  /// Calls `add` with the unit vector from the centre and the distance from it. For lanes that do
  /// not have this hit, the unit vector is 0 and the distance is the radius.
  template <class Add>
  void around_circle(Add add) const {
    for (std::size_t h = 0; h < last_; ++h) {
      const mask here = count_ > static_cast<float>(h) + 0.5F;
      const lanes dx = load(hits_.x[h], first_) - mean_.x - at_.x,
                  dy = load(hits_.y[h], first_) - mean_.y - at_.y;
      const lanes square = dx * dx + dy * dy + 1e-12F;
      const lanes length = root_of(square), inverse = 1.0F / length;
      add(where(here, dx * inverse, none), where(here, dy * inverse, none),
          where(here, length, at_.r));
    }
  }

  const ring_group& hits_;
  std::size_t first_, last_ = 0;  ///< the first lane; the largest number of hits in any lane
  lanes count_, least_count_;
  triple mean_{none, none, none}, at_{none, none, none};
};

void fit_from(const ring_group& hits, std::size_t first, float deviation, fitted_rings& found) {
  fit circle(hits, first);
  const mask determined = circle.begin();
  const circle_sums before = circle.sums();
  circle.step(before.curvature.inverse().times(before.slope));
  const circle_sums sums = circle.sums();
  const matrix covariance = sums.curvature.inverse();
  const triple last = covariance.times(sums.slope);
  circle.step(last);
  const lanes gained = last.x * sums.slope.x + last.y * sums.slope.y + last.r * sums.slope.r;
  const triple at = circle.circle();
  const auto store = [&](per_lane<float>& to, lanes value) {
    std::memcpy(to.data() + first, &value, sizeof value);
  };
  store(found.x, at.x);
  store(found.y, at.y);
  store(found.radius, where(determined, at.r, none));
  store(found.x_error, deviation * root_of(covariance.xx));
  store(found.y_error, deviation * root_of(covariance.yy));
  store(found.radius_error, deviation * root_of(covariance.rr));
  store(found.chi_square, (sums.square - gained) / (deviation * deviation));
}

void fit_rings(const ring_group& hits, float deviation, fitted_rings& found) {
  for (std::size_t first = 0; first < fit_lanes; first += width)
    fit_from(hits, first, deviation, found);
}

}  // namespace

ring_kernels table() { return {ONEHOP_APP_TEXT(ONEHOP_APP_ISA), &fit_rings, &search_circles}; }

}  // namespace event_stream::ONEHOP_APP_ISA
