#!/bin/sh
# Compiles a sketch for its board with Debian's avr-gcc and Arduino core, as the IDE does:
#     build.sh SKETCH.cpp FOLDER BOARD OUT.elf [--lib DIR | --define NAME[=VALUE]]...
# SKETCH.cpp: the .ino files of FOLDER as one source. Other sources are in FOLDER, in its src/ and in its lib/ (PlatformIO).
# A library is a folder with its sources there or in src/. Exits with 77 if avr-gcc or the core is not installed.
set -eu
source=$1 folder=$2 board=$3 out=$4
shift 4
# Lists have one name or value per line. `find` and `grep` would treat a name that begins with - as an option.
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
# Libraries and includes are lists with one folder per line, so that names may contain blanks.
: >"$work/libraries"
# Macros from platformio.ini, from the environments of this board. ${section.key} is the text of another key.
[ ! -f "$folder/platformio.ini" ] || awk -v board="$board" '
    function text_of(key, depth,    text, out, name) {
        text = depth < 9 ? texts[key] : ""
        while (match(text, /\$\{[^}]*\}/)) {
            out = out substr(text, 1, RSTART - 1)
            name = substr(text, RSTART + 2, RLENGTH - 3)
            text = substr(text, RSTART + RLENGTH)
            out = out text_of(name, depth + 1)
        }
        return out text
    }
    { sub(/(^|[ \t])[;#].*/, "") }
    /^\[/ { section = substr($0, 2, index($0, "]") - 2); next }
    /^[^ \t=]+[ \t]*=/ { key = section "." $1; sub(/=.*/, "", key); sub(/^[^=]*=[ \t]*/, ""); texts[key] = "" }
    { texts[key] = texts[key] " " $0 }
    END {
        all = text_of("env.build_flags", 0)
        for (key in texts)
            if (key ~ /^env:.*\.board$/ && index(texts[key], board) == 2)
                all = all " " text_of(substr(key, 1, length(key) - 5) "build_flags", 0)
        count = split(all, words)
        for (i = 1; i <= count; i++)
            if (words[i] == "-D") print "-D" words[++i]
            else if (words[i] ~ /^-D/) print words[i]
    }' "$folder/platformio.ini" >"$work/defines"
: >>"$work/defines"
: >"$work/used"
while [ $# -gt 0 ]; do
    case $1 in
    --lib)
        [ -d "$2" ] || { echo "--lib $2: there is no such folder" >&2; exit 1; }
        case $2 in -*) printf './%s\n' "$2" ;; *) printf '%s\n' "$2" ;; esac >>"$work/libraries" ;;
    --define) printf '%s\n' "-D$2" >>"$work/defines" ;;
    esac
    shift 2
done
for library in "$folder"/lib/* "$folder"/.pio/libdeps/*/* "$folder"/.piolibdeps/* "$core"/libraries/*; do
    [ ! -d "$library" ] || printf '%s\n' "$library"
done >>"$work/libraries"
# root LIBRARY: sets `root` to the folder of its headers.
root() {
    root=$1
    [ ! -d "$1/src" ] || root=$1/src
}
for include in "$folder" "$folder/include" "$folder/src"; do
    [ ! -d "$include" ] || printf '%s\n' "$include"
done >"$work/includes"
while IFS= read -r library; do
    root "$library"
    printf '%s\n' "$root"
done <"$work/libraries" >>"$work/includes"
flags="-mmcu=$mcu -DF_CPU=16000000L -DARDUINO=10819 -DDECIMAL_DIG=__DECIMAL_DIG__ -D$define -DARDUINO_ARCH_AVR $more -Os -w
    -ffunction-sections -fdata-sections -flto -fno-fat-lto-objects -I$core/cores/arduino -I$core/variants/$variant"
count=0
# compile FILE: object files are numbered, because libraries have files of the same name. -MMD lists the headers in a second file.
compile() {
    file=$1
    count=$((count + 1))
    set -- # the words of folders and definitions, whatever characters they have
    while IFS= read -r include; do set -- "$@" "-I$include"; done <"$work/includes"
    while IFS= read -r word; do set -- "$@" "$word"; done <"$work/defines"
    set -- "$@" -MMD -c "$file" -o "$work/$count.o"
    # shellcheck disable=SC2086 # flags are words
    case $file in
    *.cpp) avr-g++ $flags -std=gnu++11 -fpermissive -fno-exceptions -fno-threadsafe-statics "$@" ;;
    *) avr-gcc $flags -std=gnu11 "$@" ;;
    esac
}
# compile_sources FOLDER [DEPTH]: compiles the sources in a folder, down to DEPTH.
compile_sources() {
    [ -d "$1" ] || return 0
    find "$1" ${2:+-maxdepth "$2"} \( -name '*.c' -o -name '*.cpp' -o -name '*.S' \) | sort >"$work/sources"
    while IFS= read -r file; do compile "$file"; done <"$work/sources"
}
compile_sources $core/cores/arduino 1
# The core is a library, because a sketch may define its own main and interrupts.
avr-gcc-ar rc "$work/core.a" "$work"/*.o
rm "$work"/*.o "$work"/*.d
compile "$source"
compile_sources "$folder" 1
compile_sources "$folder/src"
# is_included FOLDER: whether a compiled file includes a header from there. Lists of headers have "\ " for a blank. A
# folder with other unusual characters in its name counts as included.
is_included() {
    case $1 in *[!A-Za-z0-9_./\ +@,-]*) return 0 ;; esac
    grep -qF "$(printf '%s/' "$1" | sed 's/ /\\ /g')" "$work"/*.d
}
# Only libraries that are included: others may have interrupt handlers, or be for another board.
before=
while [ "$before" != "$count" ]; do
    before=$count
    while IFS= read -r library; do
        root "$library"
        grep -qxF -e "$library" "$work/used" || ! is_included "$root" || {
            printf '%s\n' "$library" >>"$work/used"
            if [ "$root" = "$library" ]; then
                compile_sources "$root" 1
                compile_sources "$root/utility"
            else compile_sources "$root"; fi
        }
    done <"$work/libraries"
done
avr-gcc -mmcu=$mcu -w -Os -flto -fuse-linker-plugin -Wl,--gc-sections -o "$out" "$work"/*.o "$work/core.a" -lm
