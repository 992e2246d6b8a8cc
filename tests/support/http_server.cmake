# The scriptable web server of tests, as target opic_http_server: include() this file where a test's
# CMakeLists.txt names `http_server` among its DEPS.
include_guard(GLOBAL)
add_library(opic_http_server STATIC ${CMAKE_SOURCE_DIR}/tests/support/http_server.cc)
target_compile_options(opic_http_server PRIVATE ${OPIC_WARNINGS})
target_include_directories(opic_http_server PUBLIC ${CMAKE_SOURCE_DIR})
target_link_libraries(opic_http_server PUBLIC opic_base)
