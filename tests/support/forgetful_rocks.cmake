# RocksDB on files that forget, as target opic_forgetful_rocks. include() this file where a test's CMakeLists.txt names
# `forgetful_rocks` among its DEPS.
include_guard(GLOBAL)
find_package(RocksDB REQUIRED)
add_library(opic_forgetful_rocks STATIC ${CMAKE_SOURCE_DIR}/tests/support/forgetful_files.cc
                                        ${CMAKE_SOURCE_DIR}/tests/support/forgetful_rocks.cc)
target_compile_options(opic_forgetful_rocks PRIVATE ${OPIC_WARNINGS})
target_include_directories(opic_forgetful_rocks PUBLIC ${CMAKE_SOURCE_DIR})
target_link_libraries(opic_forgetful_rocks PUBLIC opic_store PRIVATE RocksDB::rocksdb-shared)
