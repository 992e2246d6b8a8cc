# The SOCKS5 proxy of tests, as target opic_socks_proxy: include() this file where a test's
# CMakeLists.txt names `socks_proxy` among its DEPS.
include_guard(GLOBAL)
add_library(opic_socks_proxy STATIC ${CMAKE_SOURCE_DIR}/tests/support/socks_proxy.cc)
target_compile_options(opic_socks_proxy PRIVATE ${OPIC_WARNINGS})
target_include_directories(opic_socks_proxy PUBLIC ${CMAKE_SOURCE_DIR})
target_link_libraries(opic_socks_proxy PUBLIC opic_base)
