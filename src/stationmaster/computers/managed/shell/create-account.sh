mkdir -p /run/lock
exec 9>/run/lock/stationmaster-accounts
flock 9
if ! id @account@ >/dev/null 2>&1; then
  if [ "$(getent passwd | grep -c '^cmp-')" -ge @computers_max@ ]; then exit @full@; fi
  shell=$(command -v bash || echo /bin/sh)
  useradd --create-home --user-group --shell "$shell" --comment '' @account@
fi
home=$(getent passwd @account@ | cut -d: -f6)
mkdir -p "$home"
chown @account@: "$home"
chmod 700 "$home"
