exec 3<"$PTYBOT_PORT_KOBUKI"
stty raw -echo 115200 <&3
ptybot ctl kobuki.press bumper=left
ptybot ctl step 100
test "$(head -c 8 <&3 | od -An -tu1 -j7)" -eq 4
