# The language, warnings, sanitizers, linker and compiler cache of every target.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1")

find_program(CCACHE ccache)
if(CCACHE)
  # Paths are taken relative to the checkout, so that another clone finds what this one compiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=true ${CCACHE})
endif()
# The paths in messages of assertions begin there, too.
add_compile_options(-fmacro-prefix-map=${CMAKE_SOURCE_DIR}/=)
find_program(MOLD mold)
if(MOLD)
  add_link_options(-fuse-ld=mold)
endif()

find_package(Threads REQUIRED)
find_package(absl REQUIRED)
find_package(PkgConfig REQUIRED)

# Warnings are errors in our code, but for who only wants the programs and may have another compiler; generated code is
# compiled without them.
option(OPIC_WERROR "warnings of our code are errors" ON)
set(OPIC_WARNINGS -Wall -Wextra)
if(OPIC_WERROR)
  list(APPEND OPIC_WARNINGS -Werror)
endif()
list(APPEND OPIC_WARNINGS -Wnon-virtual-dtor -Woverloaded-virtual -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  list(APPEND OPIC_WARNINGS -Wthread-safety)
endif()

if(OPIC_SANITIZE)
  add_compile_options(-fsanitize=${OPIC_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${OPIC_SANITIZE})
endif()

# What Abseil's mutexes order, told to ThreadSanitizer (tests/tsan/mutex_order.cc).
if(OPIC_SANITIZE MATCHES thread)
  add_library(opic_mutex_order STATIC ${CMAKE_SOURCE_DIR}/tests/tsan/mutex_order.cc)
  target_link_libraries(opic_mutex_order PUBLIC absl::synchronization)
  link_libraries(opic_mutex_order)
  foreach(name
      5Mutex4LockEv 5Mutex6UnlockEv 5Mutex10ReaderLockEv 5Mutex12ReaderUnlockEv 5Mutex8LockWhenERKNS0_9ConditionE
      5Mutex5AwaitERKNS0_9ConditionE 5Mutex16AwaitWithTimeoutERKNS0_9ConditionENS0_8DurationE
      19ReleasableMutexLock7ReleaseEv 7CondVar4WaitEPNS0_5MutexE 7CondVar15WaitWithTimeoutEPNS0_5MutexENS0_8DurationE
      12Notification6NotifyEv 15BlockingCounter14DecrementCountEv 15BlockingCounter4WaitEv)
    add_link_options(-Wl,--wrap=_ZN4absl7debian3${name})
  endforeach()
  foreach(name 12Notification19WaitForNotificationEv
      12Notification30WaitForNotificationWithTimeoutENS0_8DurationE)
    add_link_options(-Wl,--wrap=_ZNK4absl7debian3${name})
  endforeach()
endif()
