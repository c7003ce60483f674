# The client library, as used by test programs.
ptybot_e2e(test_e2e_client
    SOURCES test_e2e_client.c ../hosts/kobuki_client.c ../support/check.c ../support/folder.c
        ../support/serial_port.c
    LIBS m)

# The client for Node with replies from another program.
find_program(NODE_BINARY node)
if(NODE_BINARY)
    add_test(NAME node_hostile COMMAND ${CMAKE_COMMAND} -E env PTYBOT_NODE_CLIENT=${PROJECT_SOURCE_DIR}/clients/node/index.js
        PTYBOT_REPLIES=${PROJECT_SOURCE_DIR}/tests/support/hostile_replies.txt
        ${NODE_BINARY} --test ${PROJECT_SOURCE_DIR}/tests/node/hostile.test.mjs)
    set_tests_properties(node_hostile PROPERTIES LABELS fast TIMEOUT 120)
endif()
