# The recipes of docs/how-to/recipes.md, from an installed tree. Compilers without the sanitizers of
# a tree cannot link its library, so they are tested in trees without sanitizers.
set(recipes ${PROJECT_SOURCE_DIR}/tests/recipes/try.sh)
add_test(NAME recipes_lines COMMAND sh ${recipes} lines)
set_tests_properties(recipes_lines PROPERTIES LABELS fast TIMEOUT 60)
if(NOT PTYBOT_SANITIZE AND NOT PTYBOT_COVERAGE)
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/recipes)
    add_test(NAME recipes_install COMMAND sh ${recipes} install ${PROJECT_BINARY_DIR} ${folder})
    set_tests_properties(recipes_install PROPERTIES FIXTURES_SETUP recipes LABELS e2e TIMEOUT 120)
    foreach(kind IN ITEMS cmake pkg-config robot node python)
        add_test(NAME recipes_${kind} COMMAND sh ${recipes} ${kind} ${folder})
        set_tests_properties(recipes_${kind} PROPERTIES
            FIXTURES_REQUIRED recipes LABELS e2e TIMEOUT 600 SKIP_RETURN_CODE 77)
    endforeach()
    set_tests_properties(recipes_cmake PROPERTIES COST 60) # a test framework takes long to compile
endif()
