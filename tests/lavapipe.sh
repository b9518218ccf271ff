#!/bin/sh
# tests/lavapipe.sh FOLDER: puts the software adapter of Debian 13 into a folder, for tests on Debian 12, whose own adapter takes up to
# twice the time to compile a kernel. It needs no rights of root and installs nothing.
#
# Left in the folder are the packages' files under `root`, `icd.json`, which the Vulkan loader reads (VK_DRIVER_FILES), and `cc`, a
# linker: the adapter needs the C library of Debian 13, so programs that load it must be linked by `cc` to run with that library.
set -eu
[ $# = 1 ] || { echo "usage: tests/lavapipe.sh FOLDER" >&2; exit 1; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
root=$folder/root
release=trixie

# apt's own folders, so that nothing of the machine's changes: lists of packages, what comes, and no package installed
apt=$folder/apt
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/parts"
: >"$apt/status"
mirror=$(apt-get indextargets --format '$(REPO_URI) $(ORIGIN) $(COMPONENT)' | awk '$2 == "Debian" && $3 == "main" && $1 !~ /security/ { print $1; exit }')
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${mirror:-http://deb.debian.org/debian} $release main" >"$apt/sources.list"
apt_get() {
    apt-get -qq -o Dir::Etc::SourceList="$apt/sources.list" -o Dir::Etc::SourceParts="$apt/parts" -o Dir::State::Lists="$apt/lists" \
        -o Dir::State::status="$apt/status" -o Dir::Cache="$apt/cache" -o APT::Sandbox::User="$(id -un)" -o Debug::NoLocking=1 "$@"
}
apt_get update
apt_get install --download-only --no-install-recommends -y mesa-vulkan-drivers libvulkan1 >"$folder/log"
rm -rf "$root" && mkdir -p "$root"
for package in "$apt"/cache/archives/*.deb; do dpkg -x "$package" "$root"; done
rm -rf "$apt"

libraries=$root/usr/lib/x86_64-linux-gnu
loader=$libraries/ld-linux-x86-64.so.2
cat >"$folder/icd.json" <<END
{ "file_format_version": "1.0.1", "ICD": { "api_version": "1.4.305", "library_path": "$libraries/libvulkan_lvp.so" } }
END
# rustc calls a linker of this name as it calls `cc`. Libraries keep the loader of the program that loads them.
cat >"$folder/cc" <<END
#!/bin/sh
case " \$* " in *" -shared "*) exec cc "\$@" ;; esac
exec cc "\$@" "-Wl,--dynamic-linker=$loader" -Wl,--disable-new-dtags "-Wl,-rpath,$libraries:/usr/lib/x86_64-linux-gnu"
END
chmod +x "$folder/cc"

# a program that is linked so runs, and finds the loader of Vulkan and the adapter
printf '#include <dlfcn.h>\nint main(void) { return !dlopen("libvulkan.so.1", RTLD_NOW) || !dlopen("%s", RTLD_NOW); }\n' \
    "$libraries/libvulkan_lvp.so" >"$folder/try.c"
"$folder/cc" "$folder/try.c" -o "$folder/try"
"$folder/try"
