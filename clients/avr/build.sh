#!/bin/sh
# Compiles a sketch for its board with Debian's avr-gcc and core of Arduino, as the IDE does:
#     build.sh SKETCH.cpp FOLDER BOARD OUT.elf [--lib DIR | --define NAME[=VALUE]]...
# SKETCH.cpp: the .ino files of FOLDER as one source. Other sources are in FOLDER, in its src/ and in its lib/ (PlatformIO).
# A library is a folder with its sources there or in src/. Exits with 77 if avr-gcc or the core is not installed.
set -eu
source=$1 folder=$2 board=$3 out=$4
shift 4
# Names and values are lines of lists. `find` and `grep` would take a name that begins with - for an option.
for word in "$folder" "$@"; do
    case $word in *"
"*) echo "a line break in $word" >&2; exit 1 ;; esac
done
case $folder in -*) folder=./$folder ;; esac
core=/usr/share/arduino/hardware/arduino/avr
command -v avr-g++ >/dev/null && [ -d $core/cores/arduino ] || exit 77
case $board in
uno) mcu=atmega328p variant=standard define=ARDUINO_AVR_UNO more= ;;
nano) mcu=atmega328p variant=eightanaloginputs define=ARDUINO_AVR_NANO more= ;;
leonardo) mcu=atmega32u4 variant=leonardo define=ARDUINO_AVR_LEONARDO more='-DUSB_VID=0x2341 -DUSB_PID=0x8036' ;;
mega) mcu=atmega2560 variant=mega define=ARDUINO_AVR_MEGA2560 more= ;;
*) echo "no board $board" >&2; exit 1 ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Libraries and includes are lists with a line for each folder, so that names may have blanks.
for shipped in EEPROM SPI Wire SoftwareSerial; do
    # Only those that the sketch includes: their objects would be linked with interrupt handlers.
    ! grep -rqs --include='*.ino' --include='*.cpp' --include='*.h' "include *[<\"]$shipped.h" "$source" "$folder" || echo "$core/libraries/$shipped"
done >"$work/libraries"
for library in "$folder"/lib/*/ "$folder"/.pio/libdeps/*/*/; do
    [ ! -d "$library" ] || printf '%s\n' "${library%/}"
done >>"$work/libraries"
: >"$work/defines"
while [ $# -gt 0 ]; do
    case $1 in
    --lib)
        case $2 in -*) printf './%s\n' "$2" ;; *) printf '%s\n' "$2" ;; esac >>"$work/libraries" ;;
    --define) printf '%s\n' "-D$2" >>"$work/defines" ;;
    esac
    shift 2
done
for include in "$folder" "$folder/include" "$folder/src"; do
    [ ! -d "$include" ] || printf '%s\n' "$include"
done >"$work/includes"
# Sources of the sketch (not its .ino files) and of the libraries.
find "$folder" -maxdepth 1 -name '*.c' -o -maxdepth 1 -name '*.cpp' -o -maxdepth 1 -name '*.S' >"$work/sources"
[ ! -d "$folder/src" ] || find "$folder/src" -name '*.c' -o -name '*.cpp' -o -name '*.S' >>"$work/sources"
while IFS= read -r library; do
    root=$library
    [ ! -d "$library/src" ] || root=$library/src
    printf '%s\n' "$root" >>"$work/includes"
    depth=
    [ -d "$library/src" ] || depth='-maxdepth 1'
    # shellcheck disable=SC2086
    find "$root" $depth \( -name '*.c' -o -name '*.cpp' -o -name '*.S' \) >>"$work/sources"
    [ ! -d "$root/utility" ] || find "$root/utility" -name '*.c' -o -name '*.cpp' >>"$work/sources"
done <"$work/libraries"
sort -u "$work/sources" -o "$work/sources"
flags="-mmcu=$mcu -DF_CPU=16000000L -DARDUINO=10819 -DDECIMAL_DIG=__DECIMAL_DIG__ -D$define -DARDUINO_ARCH_AVR $more -Os -w
    -ffunction-sections -fdata-sections -I$core/cores/arduino -I$core/variants/$variant"
count=0
# compile FILE: the object is numbered, since libraries have files of the same name.
compile() {
    file=$1
    count=$((count + 1))
    set -- # the words of folders and definitions, whatever characters they have
    while IFS= read -r include; do set -- "$@" "-I$include"; done <"$work/includes"
    while IFS= read -r word; do set -- "$@" "$word"; done <"$work/defines"
    case $file in
    # shellcheck disable=SC2086 # flags are words
    *.cpp) avr-g++ $flags "$@" -std=gnu++11 -fpermissive -fno-exceptions -fno-threadsafe-statics -c "$file" -o "$work/$count.o" ;;
    # shellcheck disable=SC2086
    *) avr-gcc $flags "$@" -std=gnu11 -c "$file" -o "$work/$count.o" ;;
    esac
}
for file in "$core"/cores/arduino/*.c "$core"/cores/arduino/*.S "$core"/cores/arduino/*.cpp "$source"; do compile "$file"; done
while IFS= read -r file; do compile "$file"; done <"$work/sources"
avr-gcc -mmcu=$mcu -Os -Wl,--gc-sections -o "$out" "$work"/*.o -lm
