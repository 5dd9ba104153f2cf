id @account@ >/dev/null 2>&1 || exit 0
usermod --expiredate 1 @account@ || true
tries=0
while pkill -KILL -u @account@; do
  tries=$((tries + 1)); [ "$tries" -lt 50 ] || exit 1; sleep 0.1
done
find /tmp /var/tmp /dev/shm -xdev -user @account@ -exec rm -rf {} + 2>/dev/null || true
crontab -r -u @account@ 2>/dev/null || true
userdel --remove @account@ 2>/dev/null || userdel --force --remove @account@ || true
! id @account@ >/dev/null 2>&1
