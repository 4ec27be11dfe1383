// One visitor made of a lambda for each alternative of a std::variant.
#pragma once

namespace shardcheck::impl {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};

}  // namespace shardcheck::impl
