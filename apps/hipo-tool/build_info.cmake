# Writes OUTPUT, the definitions of build_info.hpp, if they differ from what is there.

set(revision "unknown")
find_program(git git)
if(git)
  # safe.directory: root building a checkout that somebody else owns is normal in a container.
  execute_process(
    COMMAND "${git}" -c "safe.directory=${SOURCE_DIR}" -C "${SOURCE_DIR}" describe --always --dirty --abbrev=12 --exclude=*
    OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed)
    set(revision "${described}")
  endif()
endif()

set(text "#include \"build_info.hpp\"

namespace hipotool::app {

const BuildInfo kBuildInfo = {
    .version = \"${VERSION}\",
    .revision = \"${revision}\",
    .build_type = \"${BUILD_TYPE}\",
    .compiler = \"${COMPILER}\",
    .flags = \"${FLAGS}\",
    .sanitizers = \"${SANITIZERS}\",
};

}  // namespace hipotool::app
")
if(EXISTS "${OUTPUT}")
  file(READ "${OUTPUT}" present)
  if(present STREQUAL text)
    return()
  endif()
endif()
file(WRITE "${OUTPUT}" "${text}")
