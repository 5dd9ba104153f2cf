"""Functions within a function, told by the line that opens them."""

from __future__ import annotations

import pytest

from stationmaster.reading.code.languages.closures import closure


@pytest.mark.parametrize(
    ("language", "line", "found"),
    [
        ("Python", "    def one(text: str = '') -> None:", "within one"),
        ("Python", "    async def one():", "within one"),
        ("Python", "    with lock:", ""),
        ("TypeScript", "  const one = async (text: string): Promise<void> => {", "within one"),
        ("TypeScript", "  load: async (ctx) => {", "within load"),
        ("TypeScript", "  bus.on('paid', (order) => {", "given bus.on('paid')"),
        ("TypeScript", "  bus.on('paid', function (order) {", "given bus.on('paid')"),
        ("TypeScript", "  return (req, res) => {", "returned "),
        ("TypeScript", "  return all.map(one =>", "given all.map"),
        ("TypeScript", "  const kept = {", ""),
        ("TypeScript", "  send({", ""),
        ("C#", "        app.Use(async (context, next) =>", "given app.Use"),
        ("Go", "\tgo func() {", "within go func()"),
        ("Go", "\tone := func(text string) error {", "within one"),
        ("Go", '\tmux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {',
         'given mux.HandleFunc("/")'),
        ("Go", "\treturn func(next http.Handler) http.Handler {", "returned "),
        ("Go", "\treturn http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {",
         "given http.HandlerFunc"),
        ("Go", "\tkept := options{", ""),
        ("Ruby", "    coins.each do |coin|", "given coins.each"),
        ("Ruby", "    Feed.all(x).find_each { |feed|", "given Feed.all(x).find_each"),
        ("Rust", "    tokio::spawn(async move {", "given tokio::spawn"),
        ("Rust", "    let one = |text| {", "within one"),
        ("Java", "        bus.on(order -> {", "given bus.on"),
        ("Java", "            public void run() {", "within run"),
        ("Java", "            case PAID -> {", ""),
        ("Kotlin", "        scope.launch {", "given scope.launch"),
        ("Kotlin", '        get("/orders/{id}") {', 'given get("/orders/{id}")'),
        ("Kotlin", "        orders.map { order ->", "given orders.map"),
        ("Kotlin", "        val one = { text: String ->", "within one"),
        ("Kotlin", "        try {", ""),
        ("Kotlin", "        val kept = object : Listener() {", ""),
        ("PHP", "        $one = function ($text) use ($till) {", "within one"),
        ("PHP", "        DB::transaction(function () {", "given DB::transaction"),
        ("PHP", "            ->each(function ($one) {", "given each"),
        ("Swift", "        queue.async {", "given queue.async"),
    ],
)  # fmt: skip
def test_a_line_tells_what_a_function_is_called_or_given_to(
    language: str, line: str, found: str
) -> None:
    opened = closure(line, language)
    assert (f"{opened.kind} {opened.name}" if opened else "") == found
