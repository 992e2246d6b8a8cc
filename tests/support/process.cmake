# Programs run beside a test, as target opic_process: include() this file where a test's CMakeLists.txt
# names `process` among its DEPS.
include_guard(GLOBAL)
add_library(opic_process STATIC ${CMAKE_SOURCE_DIR}/tests/support/process.cc)
target_compile_options(opic_process PRIVATE ${OPIC_WARNINGS})
target_include_directories(opic_process PUBLIC ${CMAKE_SOURCE_DIR})
target_link_libraries(opic_process PUBLIC opic_base)
