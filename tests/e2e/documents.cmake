# Only in trees without sanitizers: the commands of documents run code that other tests run with
# sanitizers.
if(PTYBOT_SANITIZE)
    return()
endif()
# The files for continuous integration and the documents, used as their readers do: in order,
# unchanged.
find_program(PTYBOT_PYTHON python3)
if(PTYBOT_PYTHON)
    execute_process(COMMAND ${PTYBOT_PYTHON} -c "import yaml" RESULT_VARIABLE no_yaml ERROR_QUIET)
endif()
if(NOT PTYBOT_PYTHON OR no_yaml)
    message(STATUS "python3 or its yaml not found: what continuous integration does is not tested")
else()
    add_test(NAME ci_services
        COMMAND ${PROJECT_SOURCE_DIR}/tests/ci/services.sh ${CMAKE_CURRENT_BINARY_DIR}/ci
            github gitlab jenkins)
    set_tests_properties(ci_services PROPERTIES LABELS e2e TIMEOUT 400
        ENVIRONMENT_MODIFICATION "PATH=path_list_prepend:$<TARGET_FILE_DIR:ptybot>")

    # Each document with commands; omitted commands install packages, or need another machine.
    file(GLOB documents RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/*.md
        ${PROJECT_SOURCE_DIR}/docs/*.md ${PROJECT_SOURCE_DIR}/docs/tutorials/*.md ${PROJECT_SOURCE_DIR}/docs/how-to/*.md
        ${PROJECT_SOURCE_DIR}/docs/reference/*.md ${PROJECT_SOURCE_DIR}/docs/explanation/*.md
        ${PROJECT_SOURCE_DIR}/docs/hosts/*.md ${PROJECT_SOURCE_DIR}/docs/scale/*.md)
    foreach(document IN LISTS documents)
        file(STRINGS ${PROJECT_SOURCE_DIR}/${document} indented REGEX "^    [^ ]")
        if(indented AND NOT document STREQUAL CHANGELOG.md)
            string(REGEX REPLACE "[/.]" "_" name ${document})
            add_test(NAME read_${name}
                COMMAND ${PTYBOT_PYTHON} ${PROJECT_SOURCE_DIR}/tests/docs/read_along.py ${document}
                    --bin $<TARGET_FILE_DIR:ptybot> --hosts ${PROJECT_BINARY_DIR}/tests/hosts)
            set_tests_properties(read_${name} PROPERTIES
                LABELS e2e TIMEOUT 600 SKIP_RETURN_CODE 77)
        endif()
    endforeach()
endif()
