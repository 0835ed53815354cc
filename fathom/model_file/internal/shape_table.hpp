#pragma once
#include "fathom/fields/codec.hpp"
#include "fathom/model/hull_shape.hpp"

namespace fathom::fields {

/// A struct of one member, written as the member alone.
template <auto member, class C = Codec<typename internal::Member<decltype(member)>::Type>>
struct Wrapped {
  using S = typename internal::Member<decltype(member)>::Struct;
  static void read(const yaml::Field& field, const Spec& spec, S& out) { C::read(field, spec, out.*member); }
  static Json write(const S& value, const Spec& spec) { return C::write(value.*member, spec); }
  static Json schema(const Spec& spec) { return C::schema(spec); }
};

/// One of the keys box, ellipsoid, cylinder.
template <>
const Union& Choice<model::Shape>::alternatives();

}  // namespace fathom::fields
