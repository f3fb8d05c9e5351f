#!/usr/bin/env bash
# Makes what installs archiver where no network is, of this checkout as it was built (npm ci): archiver-VERSION-linux-CPU.tar.xz to be unpacked
# in /opt, and, where there is dpkg-deb, archiver_VERSION_CPU.deb. Both have the program, the packages that it needs with their compiled parts,
# its manual pages and completions; node itself is none of it. It needs no network either. The same checkout gives the same bytes.
# usage: scripts/offline-package.sh FOLDER
set -euo pipefail
[ $# = 1 ] || { echo 'usage: scripts/offline-package.sh FOLDER' >&2; exit 2; }
mkdir -p "$1"
output=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
[ "$(uname -s)" = Linux ] || { echo 'packages are made on the system that they are for, and these are for Linux' >&2; exit 1; }
[ -f dist/cli.js ] || { echo 'there is no dist/ here: npm ci builds it' >&2; exit 1; }
of() { node -p "require('./package.json').$1"; }
version=$(of version)
name=archiver-$version
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}

# npm knows what belongs to the program, and says on stderr what is missing of it; what only builds or tests it stays here.
packages=$(npm ls --omit=dev --all --parseable)
mkdir -p "$work/$name/bin" "$work/$name/share/man/man1" "$work/$name/share/completions"
cp -R dist package.json README.md LICENSE "$work/$name"
while read -r package; do
  mkdir -p "$work/$name/$(dirname "${package#"$PWD/"}")"
  cp -R "$package" "$work/$name/${package#"$PWD/"}"
done < <(tail -n +2 <<<"$packages")
# What a compiler left: the sources of zstd, and the addon a second time.
rm -rf "$work/$name"/node_modules/zstd-napi/{deps,src,build/Release/obj.target}
find "$work/$name/node_modules" \( -name '*.map' -o -name '*.d.ts' \) -delete
ln -s ../dist/cli.js "$work/$name/bin/archiver"
cp man/*.1 "$work/$name/share/man/man1"
gzip -9n "$work/$name"/share/man/man1/*.1
for shell in bash zsh fish; do
  "$work/$name/bin/archiver" completion "$shell" >"$work/$name/share/completions/archiver.$shell"
done
chmod -R u=rwX,go=rX "$work/$name"

tarball=$name-linux-$(node -p process.arch).tar.xz
tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -cJf "$work/$tarball" "$name"
mv "$work/$tarball" "$output"
echo "$output/$tarball"

command -v dpkg-deb >/dev/null || { echo 'there is no dpkg-deb: no .deb was made' >&2; exit 0; }
root=$work/root
mkdir -p "$root"/{DEBIAN,usr/bin,usr/lib,usr/share/{man,doc/archiver,bash-completion/completions,zsh/vendor-completions,fish/vendor_completions.d}}
mv "$work/$name" "$root/usr/lib/archiver"
own=$root/usr/lib/archiver
mv "$own/share/man/man1" "$root/usr/share/man"
mv "$own/share/completions/archiver.bash" "$root/usr/share/bash-completion/completions/archiver"
mv "$own/share/completions/archiver.zsh" "$root/usr/share/zsh/vendor-completions/_archiver"
mv "$own/share/completions/archiver.fish" "$root/usr/share/fish/vendor_completions.d"
mv "$own/LICENSE" "$root/usr/share/doc/archiver/copyright"
rm -r "$own/share" "$own/bin"
ln -s ../lib/archiver/dist/cli.js "$root/usr/bin/archiver"
cpu=$(dpkg --print-architecture)
minimum=$(of engines.node | tr -dc '0-9.')
cat >"$root/DEBIAN/control" <<CONTROL
Package: archiver
Version: $version
Architecture: $cpu
Maintainer: ${DEBFULLNAME:-archiver} <${DEBEMAIL:-archiver@localhost}>
Installed-Size: $(du -sk "$root/usr" | cut -f1)
Depends: nodejs (>= $minimum)
Suggests: rclone, davfs2
Section: utils
Priority: optional
Description: $(of description)
CONTROL
deb=archiver_${version}_$cpu.deb
dpkg-deb --root-owner-group -Zxz --build "$root" "$work/$deb" >/dev/null
mv "$work/$deb" "$output"
echo "$output/$deb"
