# Installs the library as static or shared, moves what was installed, builds the program in this folder
# with find_package(hipotool) and nothing else, and has it read SAMPLE.
#
#   SOURCE_DIR BUILD_DIR      the project and a build of it, which is shared or not as BUILD_IS_SHARED says
#   WANT_SHARED               the kind to try
#   WORK_DIR                  for everything made here
#   OPTIONS                   CMake options of BUILD_DIR, for another build of the same sort
#   SAMPLE EXPECTED           a file, and what the program must say about it

function(run)
  cmake_parse_arguments(arg "" "OUTPUT" "COMMAND" ${ARGN})
  execute_process(COMMAND ${arg_COMMAND} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "${arg_COMMAND} failed (${failed}):\n${output}")
  endif()
  if(arg_OUTPUT)
    set(${arg_OUTPUT} "${output}" PARENT_SCOPE)
  endif()
endfunction()

if(NOT WANT_SHARED STREQUAL BUILD_IS_SHARED)
  set(BUILD_DIR "${WORK_DIR}/library")
  run(COMMAND "${CMAKE_COMMAND}" -S "${SOURCE_DIR}" -B "${BUILD_DIR}" -G Ninja
              -DBUILD_SHARED_LIBS=${WANT_SHARED} ${OPTIONS})
  run(COMMAND "${CMAKE_COMMAND}" --build "${BUILD_DIR}" --target hipotool --parallel)
endif()

file(REMOVE_RECURSE "${WORK_DIR}/installed" "${WORK_DIR}/moved" "${WORK_DIR}/consumer")
run(COMMAND "${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${WORK_DIR}/installed" --component library)
file(RENAME "${WORK_DIR}/installed" "${WORK_DIR}/moved")

file(GLOB_RECURSE texts "${WORK_DIR}/moved/*.cmake" "${WORK_DIR}/moved/*.hpp")
foreach(text IN LISTS texts)
  file(STRINGS "${text}" lines REGEX "${SOURCE_DIR}|${BUILD_DIR}|${WORK_DIR}")
  if(lines)
    message(FATAL_ERROR "${text} names a folder of this machine: ${lines}")
  endif()
endforeach()

run(COMMAND "${CMAKE_COMMAND}" -S "${SOURCE_DIR}/tests/consumer" -B "${WORK_DIR}/consumer" -G Ninja
            "-DCMAKE_PREFIX_PATH=${WORK_DIR}/moved" ${OPTIONS})
run(COMMAND "${CMAKE_COMMAND}" --build "${WORK_DIR}/consumer")

run(COMMAND "${WORK_DIR}/consumer/consumer" "${SAMPLE}" OUTPUT said)
if(NOT said STREQUAL "${EXPECTED}\n")
  message(FATAL_ERROR "The consumer should have said \"${EXPECTED}\" and said: ${said}")
endif()
message(STATUS "The consumer said: ${said}")
file(REMOVE_RECURSE "${WORK_DIR}/moved" "${WORK_DIR}/consumer")
