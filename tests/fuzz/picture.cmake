# Only the decoder of pictures, without the program: MemorySanitizer needs every library
# instrumented.
set(image ${PROJECT_SOURCE_DIR}/app/files)
ptybot_fuzz(fuzz_picture SOURCES fuzz_picture.c ${image}/image.c ${image}/stb_image.c LIBS ptybot_base)
set_source_files_properties(${image}/stb_image.c PROPERTIES COMPILE_OPTIONS -w)
