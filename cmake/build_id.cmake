# Writes a header with the identity of the sources that decide the bytes of a run: the identity is
# the same with every compiler, and differs after any change to them.
#     cmake -DROOT=<repository> -DOUT=<header> -P cmake/build_id.cmake
cmake_minimum_required(VERSION 3.25)

file(GLOB_RECURSE files RELATIVE ${ROOT}
    ${ROOT}/base/*.[ch] ${ROOT}/physics/*.[ch] ${ROOT}/protocols/*.[ch] ${ROOT}/sim/*.[ch])
list(SORT files)
set(all "")
foreach(file IN LISTS files)
    file(SHA256 ${ROOT}/${file} hash)
    string(APPEND all "${file} ${hash}\n")
endforeach()
string(SHA256 identity "${all}")
string(SUBSTRING ${identity} 0 16 identity)
file(CONFIGURE OUTPUT ${OUT} CONTENT "#define PTYBOT_BUILD_ID \"${identity}\"\n")
