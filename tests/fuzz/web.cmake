# The page's server without the page, whose files the build makes; any file would do here.
pkg_check_modules(WEB IMPORTED_TARGET libmicrohttpd>=0.9.71 zlib)
if(TARGET PkgConfig::WEB)
    set(web ${PROJECT_SOURCE_DIR}/viewer/web)
    set(sources fuzz_http.c ${web}/server.c ${web}/gate.c ${web}/stream.c
        ${PROJECT_SOURCE_DIR}/viewer/rpc/rpc_requests.c)
    set_source_files_properties(${sources} PROPERTIES COMPILE_DEFINITIONS _GNU_SOURCE)
    if(PTYBOT_FUZZ)
        list(APPEND sources fuzz_http_mutator.c words.c frame_maker.c)
    endif()
    ptybot_fuzz(fuzz_http SOURCES ${sources} LIBS ptybot_sim PkgConfig::JANSSON PkgConfig::WEB m)
endif()
