# A host of two ports: a base and a scanner make a map.
ptybot_host(lidar_map SOURCES lidar_map.c grid_map.c kobuki_client.c LIBS m)
