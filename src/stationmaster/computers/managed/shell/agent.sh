wanted=@wanted@
is_wanted() { [ "$(@agent@ --version 2>/dev/null)" = "$wanted" ]; }
if is_wanted; then echo "$wanted is there"; exit 0; fi
if [ @is_fixed@ = 1 ]; then
  echo "the template requires @agent@ to be $wanted, and it is not"; exit 1
fi
umask 077
python3 -m venv --clear @folder@/agent
@folder@/agent/bin/python -m pip install --quiet --disable-pip-version-check @wheel@
is_wanted
