cd @folder@ 2>/dev/null || exit 0
if [ -e serve.pid ] && ! flock -n serve.lock true; then
  kill -s TERM -- "-$(cat serve.pid)" 2>/dev/null || true
  flock -w 10 serve.lock true
fi
