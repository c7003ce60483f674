# Programs for web pages: C compiled to WebAssembly by clang and wasi-libc, in addition to the build
# for this machine. WASM_COMPILER is clang if it supports WebAssembly, otherwise empty: then no
# pages are built.

find_program(WASM_CLANG NAMES clang)
set(WASM_COMPILER "")
if(WASM_CLANG)
    # Tests all required parts: headers, libc, the runtime library and the linker.
    file(WRITE ${CMAKE_BINARY_DIR}/wasm/try.c
        "#include <math.h>\n#include <stdio.h>\nint tried(double x);\nint tried(double x) { return printf(\"%g\", sin(x)); }\n")
    execute_process(
        COMMAND ${WASM_CLANG} --target=wasm32-wasi -mexec-model=reactor -Wl,--export=tried
            ${CMAKE_BINARY_DIR}/wasm/try.c -o ${CMAKE_BINARY_DIR}/wasm/try.wasm
        RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE why)
    if(failed)
        message(STATUS "clang makes no WebAssembly here (wasi-libc, lld, libclang-rt-dev-wasm32): no web pages")
    else()
        set(WASM_COMPILER ${WASM_CLANG})
    endif()
endif()

# The build for this machine gives the warnings.
# ptybot_wasm(NAME SOURCES file... EXPORTS function...)
# Makes NAME.wasm in the current binary folder: a library for a page, without a main. SOURCES are
# relative to the repository; an object is compiled once for all modules. Functions that a module
# calls but does not contain are imported from the module "env". In a sanitized tree the modules are
# empty, as no sanitizer checks them.
function(ptybot_wasm name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;EXPORTS")
    set(flags --target=wasm32-wasi -std=c17 -O2 -ffp-contract=off -ffunction-sections -fdata-sections
        -I${PROJECT_SOURCE_DIR} -ffile-prefix-map=${PROJECT_SOURCE_DIR}=. -D_GNU_SOURCE -DPTYBOT_NO_YAML)
    if(PTYBOT_SANITIZE)
        set(arg_SOURCES "")
        set(arg_EXPORTS "")
    endif()
    get_property(made GLOBAL PROPERTY ptybot_wasm_objects)
    set(objects "")
    foreach(source IN LISTS arg_SOURCES)
        set(object ${CMAKE_CURRENT_BINARY_DIR}/wasm.dir/${source}.o)
        list(APPEND objects ${object})
        if(object IN_LIST made)
            continue()
        endif()
        cmake_path(GET object PARENT_PATH folder)
        file(MAKE_DIRECTORY ${folder})
        add_custom_command(OUTPUT ${object}
            COMMAND ${CMAKE_C_COMPILER_LAUNCHER} ${WASM_COMPILER} ${flags}
                -MD -MF ${object}.d -c ${PROJECT_SOURCE_DIR}/${source} -o ${object}
            DEPENDS ${PROJECT_SOURCE_DIR}/${source}
            DEPFILE ${object}.d
            COMMENT "WebAssembly of ${source}")
    endforeach()
    set_property(GLOBAL APPEND PROPERTY ptybot_wasm_objects ${objects})
    list(TRANSFORM arg_EXPORTS PREPEND -Wl,--export= OUTPUT_VARIABLE exports)
    add_custom_command(OUTPUT ${name}.wasm
        COMMAND ${WASM_COMPILER} --target=wasm32-wasi -mexec-model=reactor -Wl,--gc-sections -Wl,--strip-all
            -Wl,--allow-undefined -Wl,-z,stack-size=262144 ${exports} ${objects}
            -o ${CMAKE_CURRENT_BINARY_DIR}/${name}.wasm
        DEPENDS ${objects}
        COMMENT "${name}.wasm")
endfunction()
