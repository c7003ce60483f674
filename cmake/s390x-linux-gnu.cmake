# Toolchain: cross-built for s390x, which is big-endian, with Debian's compiler
# (gcc-s390x-linux-gnu) and libraries of that architecture; the programs run under qemu-user. If
# these packages are unpacked but not installed, PTYBOT_CROSS_ROOT and QEMU_LD_PREFIX in the
# environment name their folder.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR s390x)
set(CMAKE_C_COMPILER s390x-linux-gnu-gcc)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-s390x)
set(root $ENV{PTYBOT_CROSS_ROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${root}/usr/lib/s390x-linux-gnu/pkgconfig:${root}/usr/share/pkgconfig)
if(root)
    set(ENV{PKG_CONFIG_SYSROOT_DIR} ${root})
    set(CMAKE_EXE_LINKER_FLAGS_INIT -Wl,-rpath-link,${root}/usr/lib/s390x-linux-gnu)
endif()
