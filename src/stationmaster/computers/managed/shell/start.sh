umask 077
cd @folder@
PATH=$PATH:/usr/sbin:/usr/local/sbin
for program in sshd ssh-keygen flock setsid; do
  command -v "$program" >/dev/null || { echo "this machine needs $program"; exit 1; }
done
if [ -e serve.pid ] && ! flock -n serve.lock true; then
  kill -s TERM -- "-$(cat serve.pid)" 2>/dev/null || true
  flock -w 10 serve.lock true || kill -s KILL -- "-$(cat serve.pid)" 2>/dev/null || true
  flock -w 10 serve.lock true
fi
mv computer.json.new computer.json
rm -f serve.pid
cat > serve.sh <<'END_OF_SERVE'
exec 8>serve.lock
flock -n 8 || exit 0
echo $$ > serve.pid
until @agent@ computers serve > serve.log 2>&1 8>&- </dev/null; do sleep 5 8>&-; done
END_OF_SERVE
setsid sh serve.sh > /dev/null 2>&1 < /dev/null &
# It leaves this script's session first: what belongs to that ends with it.
while [ ! -s serve.pid ]; do sleep 0.1; done
