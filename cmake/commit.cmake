# cmake -DSOURCE=DIR -DCOMMIT=TEXT -DOUT=FILE -P commit.cmake
#   Writes FILE, which defines kCommit (services/commit.h), unless it says that already. TEXT empty: the commit of git
#   that DIR is at, twelve digits, with "+changes" when tracked files differ from it; empty where DIR is no checkout.
cmake_minimum_required(VERSION 3.25)
if(NOT COMMIT AND EXISTS ${SOURCE}/.git)
  find_program(GIT git)
  if(GIT)
    execute_process(COMMAND ${GIT} --no-optional-locks describe --always --exclude=* --abbrev=12 --dirty=+changes
      WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE COMMIT ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  endif()
endif()
if(NOT COMMIT MATCHES "^[0-9A-Za-z.+_-]*$")
  message(FATAL_ERROR "OPIC_COMMIT: \"${COMMIT}\" is no name of a commit; give letters, digits, and . + _ -")
endif()
file(CONFIGURE OUTPUT ${OUT} @ONLY CONTENT
  "#include \"services/commit.h\"\n\nextern const char kCommit[] = \"@COMMIT@\";\n")
