# The Python package, clients/python, tested by the tools of Debian; tools that are not installed
# are left out.
set(python /usr/bin/python3)
set(python_client ${PROJECT_SOURCE_DIR}/clients/python)
set(python_env
    PTYBOT=$<TARGET_FILE:ptybot>
    PYTHONPATH=${python_client}
    PYTHONDONTWRITEBYTECODE=1)
if(PTYBOT_SANITIZE)
    list(APPEND python_env PTYBOT_SANITIZED=1)
endif()

# Sets OUT to whether Debian's Python has a module.
function(python_has module out)
    execute_process(COMMAND ${python} -c "import ${module}" RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(failed)
        message(STATUS "Python has no ${module}: tests of clients/python that need it are left out")
        set(${out} FALSE PARENT_SCOPE)
    else()
        set(${out} TRUE PARENT_SCOPE)
    endif()
endfunction()

# ptybot_python(NAME WORDS...): a test that is a command of Debian's Python in the folder of the package.
function(ptybot_python name)
    add_test(NAME ${name}
        COMMAND ${CMAKE_COMMAND} -E env ${python_env} ${python} ${ARGN}
        WORKING_DIRECTORY ${python_client})
    set_tests_properties(${name} PROPERTIES LABELS e2e TIMEOUT 900)
endfunction()

python_has(pytest has_pytest)
python_has(mypy has_mypy)
if(has_pytest)
    set(parts protocol sim aio hostile)
    if(NOT PTYBOT_SANITIZE) # plugin, documents and package call ptybot as the other parts do
        list(APPEND parts plugin docs wheel)
    endif()
    foreach(part IN LISTS parts)
        ptybot_python(python_${part} -m pytest -q -rs -c pyproject.toml ../../tests/python/test_${part}.py
            --basetemp=${CMAKE_CURRENT_BINARY_DIR}/python_${part})
    endforeach()
    if(NOT PTYBOT_SANITIZE)
        # The files of docs/scale, with substitutes for their engines.
        add_test(NAME scale_recipes
            COMMAND ${python} ${PROJECT_SOURCE_DIR}/tests/scale/recipes.py $<TARGET_FILE:ptybot>)
        set_tests_properties(scale_recipes PROPERTIES LABELS e2e TIMEOUT 400)
    endif()
endif()
if(has_mypy AND NOT PTYBOT_SANITIZE)
    ptybot_python(python_types -m mypy --strict --cache-dir=${CMAKE_CURRENT_BINARY_DIR}/mypy)
endif()
