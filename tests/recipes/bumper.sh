exec 3<"$PTYBOT_PORT_KOBUKI"
ptybot ctl kobuki.press bumper=left
ptybot ctl step 100
test "$(head -c 8 <&3 | od -An -tu1 -j7)" -eq 4
