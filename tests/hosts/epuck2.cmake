# e-puck2 drivers, based only on the public protocol.
foreach(host epuck2_wall epuck2_line epuck2_box)
    ptybot_host(${host} SOURCES ${host}.c epuck2_client.c)
endforeach()
ptybot_host(epuck2_calls SOURCES epuck2_calls.c)
