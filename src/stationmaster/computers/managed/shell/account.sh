if ! id -u @user@ >/dev/null 2>&1; then
  if [ "$(id -u)" != 0 ]; then echo "this machine has no account @user@"; exit 1; fi
  shell=$(command -v bash || echo /bin/sh)
  if command -v useradd >/dev/null; then useradd --create-home --shell "$shell" @user@
  else adduser -D -s "$shell" @user@; fi
fi
