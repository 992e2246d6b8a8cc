# What `cmake --install` puts where, and the Debian package made of it (`cpack -G DEB`, deploy/make-deb).
#
# Units and settings name each other's paths, which depend on the prefix that is given when installing:
# install_services.cmake.in. Everything else goes below the prefix.
include(GNUInstallDirs)
set(CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(opic_doc ${CMAKE_INSTALL_DATAROOTDIR}/doc/opic)

install(TARGETS opic opic-node opic-scheduler RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

# Manual pages and completions are made from the programs' help, by opic-pages. Pages and the list of changes are
# compressed, as Debian wants them; gzip is part of every Debian system.
find_program(GZIP gzip REQUIRED)
set(share ${CMAKE_BINARY_DIR}/share)
add_custom_command(OUTPUT ${share}/made
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${share}
  COMMAND opic-pages ${share}
  COMMAND ${GZIP} -9nr ${share}/man
  COMMAND ${CMAKE_COMMAND} -E make_directory ${share}/doc/opic
  COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/CHANGELOG.md ${share}/doc/opic/changelog
  COMMAND ${GZIP} -9n ${share}/doc/opic/changelog
  COMMAND ${CMAKE_COMMAND} -E touch ${share}/made
  DEPENDS opic-pages ${CMAKE_SOURCE_DIR}/CHANGELOG.md
  COMMENT "Writing manual pages and completions" VERBATIM)
add_custom_target(opic_pages_written ALL DEPENDS ${share}/made)
install(DIRECTORY ${share}/ DESTINATION ${CMAKE_INSTALL_DATAROOTDIR} PATTERN made EXCLUDE)

install(FILES LICENSE docs/operations.md DESTINATION ${opic_doc})
install(FILES deploy/debian/copyright DESTINATION ${opic_doc})
install(FILES deploy/node.conf deploy/scheduler.conf deploy/crawl.conf deploy/prometheus/alerts.yml
              docs/examples/importance_get.py DESTINATION ${opic_doc}/examples)
install(FILES deploy/grafana/opic.json DESTINATION ${opic_doc}/examples RENAME grafana.json)
# The cluster example: `local-cluster --programs DIR`.
install(PROGRAMS deploy/local-cluster DESTINATION ${opic_doc}/examples)

# What `opic bench` runs; it looks for it at ../libexec/opic, from its own folder.
install(PROGRAMS tests/bench/published DESTINATION libexec/opic)
install(FILES tests/bench/crawlers.py tests/bench/parts.py tests/bench/processes.py tests/bench/scrapy_spider.py
        DESTINATION libexec/opic)

configure_file(${CMAKE_CURRENT_LIST_DIR}/install_services.cmake.in ${CMAKE_BINARY_DIR}/install_services.cmake @ONLY)
install(SCRIPT ${CMAKE_BINARY_DIR}/install_services.cmake)

set(OPIC_MAINTAINER "The opic developers <opic@packages.invalid>" CACHE STRING "who the Debian package names: NAME <MAIL>")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME opic)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "distributed web crawler that ranks pages while it crawls")
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz CACHE STRING "of the Debian package")
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${OPIC_MAINTAINER}")
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"opic computes the importance of web pages while it crawls them, exactly for
the links known (Adaptive On-line Page Importance Computation). It runs as
one process, or as a cluster of nodes with mutual TLS between them.
.
This package has the command line tool opic, the services opic-node and
opic-scheduler, and their systemd units.")
# Of the libraries those that the programs are linked to; the user is made by systemd-sysusers.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "ca-certificates, systemd | systemd-standalone-sysusers | systemd-sysusers")
# What `opic bench` runs, and compares with.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3, wget2, wget, httrack, python3-scrapy")
set(debian ${CMAKE_SOURCE_DIR}/deploy/debian)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${debian}/conffiles ${debian}/postinst ${debian}/prerm ${debian}/postrm)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
