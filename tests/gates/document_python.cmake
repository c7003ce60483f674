# Runs the one block of Python in a document as the host of a robot in lockstep, so that what the
# document shows is what works.
#     cmake -DDOCUMENT=<file> -DLINES=<most> -DPTYBOT=<binary> -DPYTHON=<python3> -DFOLDER=<scratch>
#         -P tests/gates/document_python.cmake
cmake_minimum_required(VERSION 3.25)

file(READ ${DOCUMENT} text)
# Lists are of no use for code, which has brackets and semicolons: the text is cut by places.
set(fence "```python\n")
string(FIND "${text}" "${fence}" from)
if(from EQUAL -1)
    message(FATAL_ERROR "${DOCUMENT}: no block of Python")
endif()
string(LENGTH "${fence}" size)
math(EXPR from "${from} + ${size}")
string(SUBSTRING "${text}" ${from} -1 text)
string(FIND "${text}" "\n```\n" end)
math(EXPR end "${end} + 1")
string(SUBSTRING "${text}" 0 ${end} code)

string(REGEX REPLACE "\n\n+" "\n" dense "${code}")
string(REGEX REPLACE "[^\n]" "" newlines "${dense}")
string(LENGTH "${newlines}" lines)
if(lines GREATER LINES)
    message(FATAL_ERROR "${DOCUMENT}: ${lines} lines of Python; it promises ${LINES}")
endif()

file(MAKE_DIRECTORY ${FOLDER})
file(WRITE ${FOLDER}/document_test.py "${code}")
execute_process(
    COMMAND ${PTYBOT} test kobuki --lockstep -- ${PYTHON} -m unittest -v document_test
    WORKING_DIRECTORY ${FOLDER}
    OUTPUT_VARIABLE said ERROR_VARIABLE warned RESULT_VARIABLE result)
message("${said}${warned}")
if(NOT result EQUAL 0)
    message(FATAL_ERROR "${DOCUMENT}: the Python in it failed: ${result}")
endif()
