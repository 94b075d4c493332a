// SPDX-License-Identifier: Apache-2.0
#pragma once

// Compares one declaration with another by the compiler: two types are the same when they pass
// through a C interface in the same way. What stands for what is said by a translation unit that
// test_abi.py writes: it defines NAMED_TYPES(X) as X(type) for each type that `declared` (ours) and
// the global namespace (NVIDIA's header) both have.

#include <type_traits>

template <typename T>
using Bare = std::remove_cv_t<std::remove_pointer_t<T>>;

// Whether both are the same name's.
template <typename Ours, typename Theirs>
constexpr bool SameName() {
#define SAME_NAME(type) \
  || (std::is_same_v<Ours, Bare<declared::type>> && std::is_same_v<Theirs, Bare<::type>>)
  return false NAMED_TYPES(SAME_NAME);
#undef SAME_NAME
}

template <typename Ours, typename Theirs>
struct SameSignature;

template <typename Ours, typename Theirs>
constexpr bool PassesAlike() {
  using Mine = std::remove_cv_t<Ours>;
  using Its = std::remove_cv_t<Theirs>;
  if constexpr (std::is_pointer_v<Mine> && std::is_pointer_v<Its>) {
    return PassesAlike<std::remove_pointer_t<Mine>, std::remove_pointer_t<Its>>();
  } else if constexpr (std::is_function_v<Mine> && std::is_function_v<Its>) {
    return SameSignature<Mine, Its>::value;
  } else if constexpr (std::is_enum_v<Mine> || std::is_enum_v<Its>) {
    // Some of NVIDIA's enumerations are plain numbers, and some of ours.
    return (std::is_enum_v<Mine> || std::is_integral_v<Mine>)&&  //
           (std::is_enum_v<Its> || std::is_integral_v<Its>)&&sizeof(Mine) == sizeof(Its);
  } else if constexpr (std::is_class_v<Mine> || std::is_union_v<Mine>) {
    return SameName<Mine, Its>();
  } else {
    return std::is_same_v<Mine, Its>;
  }
}

template <typename Ours, typename Theirs>
struct SameSignature {
  static constexpr bool value = false;
};
template <typename Ours, typename... OurArguments, typename Theirs, typename... TheirArguments>
struct SameSignature<Ours(OurArguments...), Theirs(TheirArguments...)> {
  static constexpr bool Compare() {
    if constexpr (sizeof...(OurArguments) == sizeof...(TheirArguments)) {
      return PassesAlike<Ours, Theirs>() && (PassesAlike<OurArguments, TheirArguments>() && ...);
    }
    return false;
  }
  static constexpr bool value = Compare();
};

#define SAME_FUNCTION(name) \
  static_assert(SameSignature<declared::Of_##name, decltype(::name)>::value, #name)
#define SAME_SIZE(type)                                                                       \
  static_assert(                                                                              \
      sizeof(declared::type) == sizeof(::type) && alignof(declared::type) == alignof(::type), \
      #type)
#define SAME_MEMBER(type, member)                                               \
  static_assert(offsetof(declared::type, member) == offsetof(::type, member) && \
                    sizeof(declared::type::member) == sizeof(::type::member),   \
                #type "::" #member)
#define SAME_VALUE(name) \
  static_assert(static_cast<long long>(declared::name) == static_cast<long long>(::name), #name)
