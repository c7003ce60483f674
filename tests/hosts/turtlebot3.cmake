# A driver for two ports: a TurtleBot3 drives a square and makes a map.
ptybot_host(turtlebot3_map SOURCES turtlebot3_map.c turtlebot3_client.c lidar_client.c grid_map.c LIBS m)
