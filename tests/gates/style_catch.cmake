# Proves that style.cmake still catches what it is for, and passes what is just right.
#     cmake -DWORK=<empty folder> -P tests/gates/style_catch.cmake
cmake_minimum_required(VERSION 3.25)

function(expect_style name content expected)
    file(REMOVE_RECURSE ${WORK}/${name})
    file(WRITE ${WORK}/${name}/sim/${name}.c "${content}")
    if(NOT name STREQUAL stray)
        file(WRITE ${WORK}/${name}/sim/${name}.h "/* What it is. */\n")
    endif()
    execute_process(
        COMMAND ${CMAKE_COMMAND} -DROOT=${WORK}/${name} -P ${CMAKE_CURRENT_LIST_DIR}/style.cmake
        RESULT_VARIABLE result OUTPUT_VARIABLE out ERROR_VARIABLE err)
    if(NOT "${result} ${out} ${err}" MATCHES "${expected}")
        message(SEND_ERROR "${name}: expected ${expected}, found ${result} ${out} ${err}")
    endif()
endfunction()

set(head "/* What it is. */\n")
string(REPEAT "int x[] = {1};\n" 699 lines)
expect_style(fits "${head}${lines}" "^0 [^W]*$")
expect_style(long "${head}${lines}int y;\n" "^0 .*701 lines")
expect_style(tab "${head}int\tx;\n" "^1 .*has a tab")
expect_style(headless "int x;\n" "^1 .*begin with a comment")
expect_style(own_header "#include \"sim/own_header.h\"\n" "^0 ")
expect_style(stray "${head}int x;\n" "^1 .*has no header")
expect_style(note "${head}int x; /* TODO: y */\n" "^1 .*of the project alone")

# Functions of 60 and 61 lines, behind one that is short, with all that CMake takes for its own.
string(REPEAT "    x[0] = \"];\"[1];\n" 60 lines)
set(short "int f(int y)\n{\n    return y;\n}\n\n")
expect_style(screen "${head}${short}int g(void)\n{\n${lines}}\n" "^0 ")
expect_style(scroll "${head}${short}int g(void)\n{\n${lines}    y;\n}\n" "^1 .*61 lines in 'int g")
