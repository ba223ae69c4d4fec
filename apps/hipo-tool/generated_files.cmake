# Writes completion scripts and manual pages, made by the tool from the options that it parses.
#   cmake -DTOOL=... -DOUTPUT=... -P generated_files.cmake

function(write_generated word file)
  execute_process(COMMAND "${TOOL}" --generate ${word} OUTPUT_VARIABLE text RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "${TOOL} --generate ${word}: ${failed}")
  endif()
  file(WRITE "${OUTPUT}/${file}" "${text}")
endfunction()

file(REMOVE_RECURSE "${OUTPUT}")
write_generated(bash bash-completion/completions/hipo-tool)
write_generated(zsh zsh/site-functions/_hipo-tool)
write_generated(fish fish/vendor_completions.d/hipo-tool.fish)
write_generated(man man/man1/hipo-tool.1)
# The page of the program lists the commands; each has one of its own.
file(STRINGS "${OUTPUT}/man/man1/hipo-tool.1" commands REGEX "^\\.BR hipo.*tool.*-")
foreach(line IN LISTS commands)
  string(REGEX REPLACE "^\\.BR ([^ ]*) .*" "\\1" page "${line}")
  string(REPLACE "\\-" "-" page "${page}")
  string(REPLACE "hipo-tool-" "" verb "${page}")
  write_generated("man:${verb}" "man/man1/${page}.1")
endforeach()
