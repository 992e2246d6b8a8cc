# What tests of the ledger share, as target opic_ledger_support: a store that crashes and a second
# bookkeeper. include() this file where a test's CMakeLists.txt names `ledger_support` among its DEPS.
include_guard(GLOBAL)
add_library(opic_ledger_support STATIC ${CMAKE_SOURCE_DIR}/tests/support/crashing_store.cc
                                       ${CMAKE_SOURCE_DIR}/tests/support/second_bookkeeper.cc)
target_compile_options(opic_ledger_support PRIVATE ${OPIC_WARNINGS})
target_include_directories(opic_ledger_support PUBLIC ${CMAKE_SOURCE_DIR})
target_link_libraries(opic_ledger_support PUBLIC opic_ledger)
