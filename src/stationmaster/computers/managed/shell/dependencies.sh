[ ! -e "$HOME/.stationmaster/environment" ] || . "$HOME/.stationmaster/environment"
failed=0
with() {
  if ! command -v "$1" >/dev/null; then echo "$PWD needs $1, which is missing"; failed=1; return; fi
  echo "$PWD: $*"
  "$@" || failed=1
}
install() {
  cd "$HOME/$1"
  if [ -e pnpm-lock.yaml ]; then with pnpm install --frozen-lockfile
  elif [ -e yarn.lock ]; then with yarn install --frozen-lockfile
  elif [ -e package-lock.json ]; then with npm ci
  elif [ -e package.json ]; then with npm install; fi
  if [ -e uv.lock ]; then with uv sync
  elif [ -e poetry.lock ]; then with poetry install
  elif [ -e requirements.txt ]; then
    [ -e .venv ] || with python3 -m venv .venv
    if [ -e .venv ]; then with .venv/bin/pip install --quiet -r requirements.txt; fi
  fi
  if [ -e go.mod ]; then with go mod download; fi
  if [ -e Cargo.lock ]; then with cargo fetch; fi
  if [ -e Gemfile.lock ]; then with bundle install; fi
  if [ -e composer.lock ]; then with composer install; fi
}
