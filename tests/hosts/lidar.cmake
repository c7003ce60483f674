# A driver for two ports: it makes a map with a base and a scanner.
ptybot_host(lidar_map SOURCES lidar_map.c lidar_client.c grid_map.c kobuki_client.c LIBS m)
# Killed at each stage of its start, and opened again.
ptybot_host(lidar_again SOURCES lidar_again.c lidar_client.c)
# A base and its scanner on one clock.
ptybot_host(lidar_stamps SOURCES lidar_stamps.c lidar_client.c kobuki_client.c LIBS m)
