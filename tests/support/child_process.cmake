# Programs run beside a test, as target opic_child_process: include() this file where a test's CMakeLists.txt
# names `child_process` among its DEPS.
include_guard(GLOBAL)
add_library(opic_child_process STATIC ${CMAKE_SOURCE_DIR}/tests/support/process.cc)
target_compile_options(opic_child_process PRIVATE ${OPIC_WARNINGS})
target_include_directories(opic_child_process PUBLIC ${CMAKE_SOURCE_DIR})
target_link_libraries(opic_child_process PUBLIC opic_base)
