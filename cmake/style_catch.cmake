# Proves that style.cmake still catches a tab and a file of 401 lines, and passes one of 400.
#     cmake -DWORK=<empty folder> -P cmake/style_catch.cmake
cmake_minimum_required(VERSION 3.25)

function(expect_style name content expected)
    file(REMOVE_RECURSE ${WORK}/${name})
    file(WRITE ${WORK}/${name}/sim/${name}.c "${content}")
    execute_process(
        COMMAND ${CMAKE_COMMAND} -DROOT=${WORK}/${name} -P ${CMAKE_CURRENT_LIST_DIR}/style.cmake
        RESULT_VARIABLE result OUTPUT_VARIABLE out ERROR_VARIABLE err)
    if(NOT "${result} ${out} ${err}" MATCHES "${expected}")
        message(SEND_ERROR "${name}: expected ${expected}, found ${result} ${out} ${err}")
    endif()
endfunction()

string(REPEAT "int x[] = {1};\n" 400 lines)
expect_style(fits "${lines}" "^0 ")
expect_style(long "${lines}int y;\n" "^1 .*401 lines")
expect_style(tab "int\tx;\n" "^1 .*has a tab")
