# Writes a file as a constant array of C: cmake -DFROM= -DNAME= -DOUT= -P embed.cmake
file(READ ${FROM} bytes HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
file(WRITE ${OUT} "static const unsigned char ${NAME}[] = {\n${bytes}\n};\n")
