# Kobuki drivers, based only on the public protocol.
ptybot_host(kobuki_square SOURCES kobuki_square.c kobuki_client.c LIBS m)
ptybot_host(kobuki_listen SOURCES kobuki_listen.c kobuki_client.c LIBS m)
ptybot_host(kobuki_serialport
    SOURCES kobuki_serialport.c kobuki_client.c LIBS m PkgConfig::SERIALPORT)
ptybot_host(kobuki_dock_simple SOURCES kobuki_dock_simple.c straight_in.c kobuki_client.c LIBS m)
ptybot_host(kobuki_dock SOURCES kobuki_dock.c dock_drive.c kobuki_client.c LIBS m)
ptybot_host(broken_driver SOURCES broken/broken_driver.c)
ptybot_host(any_driver SOURCES broken/any_driver.c)
