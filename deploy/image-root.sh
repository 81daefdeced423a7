#!/bin/sh
# Puts what the image of `fanfare` needs of Debian into a folder (deploy/Dockerfile, scripts/image): image-root.sh FOLDER, an absolute path,
# where usr/local/bin/fanfare is already.
set -eu
root=$1

# As Debian has it: the old places are links.
mkdir -p "$root/usr/bin" "$root/usr/lib" "$root/usr/lib64" "$root/etc/ssl" "$root/usr/lib/ssl" "$root/var/lib/dpkg"
install -d -m 1777 "$root/tmp"
for name in bin lib lib64; do ln -s "usr/$name" "$root/$name"; done
ln -s usr/bin "$root/sbin"

cp /usr/bin/openssl "$root/usr/bin/"
cp /bin/busybox "$root/usr/bin/"
for applet in $("$root/usr/bin/busybox" --list); do
    [ -e "$root/usr/bin/$applet" ] || ln -s busybox "$root/usr/bin/$applet"
done

libraries=$(for program in "$root/usr/local/bin/fanfare" "$root/usr/bin/openssl"; do
    # NAME => PATH (ADDRESS), and the loader's PATH (ADDRESS).
    ldd "$program" | sed -n 's|^[^/]*\(/[^ ]*\) (.*|\1|p'
done | sort -u)
for library in $libraries; do
    place=$root/usr/${library#/usr/}
    case $library in /usr/*) ;; *) place=$root/usr$library ;; esac
    install -D -m 755 "$library" "$place"
done

cp -a /etc/ssl/certs /etc/ssl/openssl.cnf "$root/etc/ssl/"
# Debian's certificates are links to files elsewhere.
(cd / && cp -a --parents usr/share/ca-certificates "$root")
ln -s /etc/ssl/certs "$root/usr/lib/ssl/certs"
ln -s /etc/ssl/openssl.cnf "$root/usr/lib/ssl/openssl.cnf"

printf 'root:x:0:0:root:/:/usr/sbin/nologin\nfanfare:x:10001:10001::/var/lib/fanfare:/usr/sbin/nologin\n' >"$root/etc/passwd"
printf 'root:x:0:\nfanfare:x:10001:\n' >"$root/etc/group"
printf 'hosts: files dns\n' >"$root/etc/nsswitch.conf"
cp /etc/os-release "$root/etc/"
# A new volume takes owner and mode of the folder that it is mounted on.
install -d -o 10001 -g 10001 -m 0700 "$root/var/lib/fanfare"
for name in records secrets device state; do install -d -o 10001 -g 10001 -m 0700 "$root/var/lib/fanfare/$name"; done

# The packages of which something is here.
for library in $libraries /usr/bin/openssl /bin/busybox; do
    dpkg -S "$(realpath "$library")" 2>/dev/null || dpkg -S "$library"
done | cut -d: -f1 | sort -u | { cat; echo ca-certificates; } | xargs dpkg-query --status >"$root/var/lib/dpkg/status"
