"""Names of packages that tell what an application is, for fnmatch, in lower case.

Source: docs/reference/applications.md. Packages of all ecosystems in one list: names that mean
something else elsewhere are left out.
"""

SERVICE = (
    "express", "fastify", "@nestjs/core", "koa", "hono", "@hapi/hapi", "polka", "@trpc/server",
    "next", "nuxt", "@remix-run/node", "@sveltejs/adapter-node", "apollo-server*", "@apollo/server",
    "graphql-yoga", "@grpc/grpc-js", "socket.io", "@feathersjs/*", "@adonisjs/core", "restify",
    "fastapi", "flask", "django", "starlette", "aiohttp", "litestar", "sanic", "tornado", "quart",
    "falcon", "bottle", "grpcio", "uvicorn", "gunicorn", "streamlit", "gradio", "cherrypy",
    "pyramid", "connexion", "robyn", "blacksheep", "github.com/gin-gonic/gin",
    "github.com/labstack/echo*", "github.com/go-chi/chi*", "github.com/gofiber/fiber*",
    "google.golang.org/grpc", "github.com/gorilla/mux", "github.com/julienschmidt/httprouter",
    "connectrpc.com/connect", "github.com/valyala/fasthttp", "actix-web", "axum", "rocket", "tonic",
    "warp", "poem", "salvo", "tide", "org.springframework.boot:spring-boot-starter-web*",
    "io.quarkus:*", "io.micronaut*:*http-server*",
    "org.springframework.boot:spring-boot-starter-actuator", "io.ktor:ktor-server*",
    "org.springframework.boot", "org.springframework.boot:spring-boot-maven-plugin", "io.quarkus",
    "com.typesafe.akka:akka-http*", "io.javalin:*", "io.dropwizard:*", "io.vertx:vertx-web",
    "com.sparkjava:*", "io.helidon*:*", "org.http4s:http4s-*-server", "com.typesafe.play:play*",
    "org.playframework:*", "rails", "sinatra", "hanami", "roda", "grape", "puma",
    "grpc.aspnetcore*", "laravel/framework", "symfony/framework-bundle", "slim/slim", "vapor",
    "hummingbird", "phoenix", "plug_cowboy", "bandit", "shelf", "microsoft.aspnetcore.app",
)  # fmt: skip
"""Frameworks of programs that wait for requests."""

PAGES = (
    "next", "nuxt", "@angular/core", "@sveltejs/kit", "gatsby", "astro", "@remix-run/react",
    "react-scripts", "@docusaurus/core", "vitepress", "@vue/cli-service", "solid-start",
)  # fmt: skip
"""Frameworks whose every application has pages."""

SITES = frozenset({
    "@docusaurus/core", "vitepress", "vuepress", "nextra", "@astrojs/starlight", "fumadocs-core",
    "gitbook", "@vuepress/core", "mintlify", "hexo", "docsify",
})  # fmt: skip
"""What makes pages of documents."""

COMPONENTS = (
    "ember-source", "@builder.io/qwik", "react-dom", "preact", "vue", "svelte", "solid-js",
    "@lit/reactive-element",
)  # fmt: skip
"""Libraries of pages, in libraries too."""

BUNDLERS = (
    "vite", "webpack", "parcel", "rollup", "esbuild", "@rspack/core", "@angular/build",
    "@angular-devkit/build-angular", "rolldown-vite",
)  # fmt: skip
"""What makes one script of many."""

JOB = (
    "celery", "sidekiq", "bullmq", "bull", "agenda", "@temporalio/*", "temporalio",
    "apache-airflow*", "go.temporal.io/*", "dramatiq", "rq", "arq", "prefect", "dagster",
    "good_job", "resque", "solid_queue", "hangfire*", "quartz", "oban", "serverless", "aws-lambda*",
    "inngest", "github.com/aws/aws-lambda-go*", "@google-cloud/functions-framework",
    "functions-framework", "com.amazonaws:aws-lambda-java-core", "pg-boss", "@azure/functions",
    "azure-functions",
)  # fmt: skip
"""What runs work without a request."""

CLI = (
    "info.picocli:*", "clap", "structopt", "argh", "github.com/spf13/cobra",
    "github.com/urfave/cli*", "github.com/alecthomas/kong", "com.github.ajalt.clikt:*", "thor",
    "system.commandline", "spectre.console.cli", "optparse-applicative", "symfony/console",
    "swift-argument-parser", "args", "com.beust:jcommander", "bpaf", "github.com/jessevdk/go-flags",
    "pico-args", "lexopt",
)  # fmt: skip
"""What reads the arguments of a command."""

MOBILE = (
    "react-native", "expo", "flutter", "com.android.application", "@capacitor/core",
    "@nativescript/core", "cordova", "org.jetbrains.compose.android",
)  # fmt: skip
"""What runs on a phone."""

DESKTOP = (
    "electron", "@tauri-apps/api", "tauri", "github.com/wailsapp/wails*", "pyqt*", "pyside*",
    "avalonia*", "@neutralinojs/lib", "gtk4", "egui", "eframe", "iced", "slint", "wxpython",
    "fyne.io/fyne*", "org.openjfx:*", "org.jetbrains.compose",
)  # fmt: skip
"""What opens windows."""
