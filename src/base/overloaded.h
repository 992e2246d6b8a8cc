// One function object of several, for std::visit.
#pragma once

namespace opic::base {

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;  // clang 14 does not deduce it

}  // namespace opic::base
