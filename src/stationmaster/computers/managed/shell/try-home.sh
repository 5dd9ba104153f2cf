umask 077
mkdir -p @folder@
echo try > @folder@/.try
rm @folder@/.try
