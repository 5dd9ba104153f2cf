from __future__ import annotations

import textwrap

import pytest

from stationmaster.reading.code.model import FileFacts
from stationmaster.reading.code.reading import read


def ruby(text: str) -> FileFacts:
    return read("Ruby", textwrap.dedent(text).encode())


def told(facts: FileFacts) -> list[tuple[str, str, str]]:
    return [(each.method, each.path, each.handler) for each in facts.routes]


def test_rails_routes_are_paths_with_what_answers_them() -> None:
    facts = ruby("""\
        Rails.application.routes.draw do
          root to: "home#index"
          get "/about" => "pages#about"
          post "/login", to: "sessions#create"
          match "/both", to: "pages#both", via: [:get, :post]
          get "/old", to: redirect("/new")
          get "/stories/preview"
          mount Engine::App => "/jobs"
        end
        get "/no"
    """)
    assert told(facts) == [
        ("GET", "/", "HomeController.index"), ("GET", "/about", "PagesController.about"),
        ("POST", "/login", "SessionsController.create"), ("GET", "/both", "PagesController.both"),
        ("POST", "/both", "PagesController.both"), ("GET", "/old", "redirect"),
        ("GET", "/stories/preview", "StoriesController.preview"), ("ANY", "/jobs/*", "Engine::App"),
    ]  # fmt: skip
    assert [(each.child, each.prefix) for each in facts.mounts] == [("Engine::App", "/jobs")]


def test_rails_resources_stand_for_their_actions_within_the_blocks_around_them() -> None:
    facts = ruby("""\
        Rails.application.routes.draw do
          namespace :admin do
            resources :blog_posts, only: [:index, :show], path: "posts" do
              member { post :publish }
              get :stale, on: :collection
              resources :comments, only: :create
            end
          end
          scope "/api", module: "api" do
            resource :profile, only: %i[show]
          end
          authenticate :user do
            resources :orders, except: %i[new edit update destroy create], param: :code
          end
          concern(:unused) { resources :nothing }
        end
    """)
    assert told(facts) == [
        ("GET", "/admin/posts", "Admin.BlogPostsController.index"),
        ("GET", "/admin/posts/:id", "Admin.BlogPostsController.show"),
        ("POST", "/admin/posts/:id/publish", "Admin.BlogPostsController.publish"),
        ("GET", "/admin/posts/stale", "Admin.BlogPostsController.stale"),
        ("POST", "/admin/posts/:blog_post_id/comments", "Admin.CommentsController.create"),
        ("GET", "/api/profile", "Api.ProfilesController.show"),
        ("GET", "/orders", "OrdersController.index"),
        ("GET", "/orders/:code", "OrdersController.show"),
    ]
    assert [each.guard for each in facts.routes][-2:] == ["authenticate", "authenticate"]


def test_a_route_of_rails_with_a_controller_alone_has_the_action_of_its_own_name() -> None:
    facts = ruby("""\
        Rails.application.routes.draw do
          resources :users, only: [] do
            patch :close, controller: :settings, on: :member
          end
          resource :app, only: [] do
            get :redirect
          end
        end
    """)
    assert told(facts) == [
        ("PATCH", "/users/:id/close", "SettingsController.close"),
        ("GET", "/app/redirect", "AppsController.redirect"),
    ]


def test_rails_routes_answer_both_updates_and_say_when_they_are_there() -> None:
    facts = ruby("""\
        Rails.application.routes.draw do
          if Shop.hosted?
            authenticated :user, ->(user) { user.admin? } do
              mount Sidekiq::Web => "/jobs"
            end
          else
            resources :orders, only: %i[update], path: ""
          end
          get "/tax" => "taxes#show" unless Shop.free?
          constraints subdomain: "old" do
            get "/old" => "olds#show", constraints: { id: /[0-9]+/ }
          end
          resource :cart, only: [] do
            get "" => :edit
          end
        end
    """)
    found = zip(told(facts), facts.routes, strict=True)
    assert [(*each, route.condition) for each, route in found] == [
        ("ANY", "/jobs/*", "Sidekiq::Web", "if Shop.hosted?, ->(user) { user.admin? }"),
        ("PATCH", "/:id", "OrdersController.update", "unless Shop.hosted?"),
        ("PUT", "/:id", "OrdersController.update", "unless Shop.hosted?"),
        ("GET", "/tax", "TaxesController.show", "unless Shop.free?"),
        ("GET", "/old", "OldsController.show",
         'constraints subdomain: "old", constraints { id: /[0-9]+/ }'),
        ("GET", "/cart", "CartsController.edit", ""),
    ]  # fmt: skip


def test_devise_answers_what_a_route_lets_it_with_the_controllers_that_are_named() -> None:
    facts = ruby("""\
        Rails.application.routes.draw do
          devise_for :users, path: "", only: %i[sessions], path_names: { sign_in: "in" },
                             controllers: { sessions: "mine" }, sign_out_via: [:get, :delete]
          devise_for :admin_users, skip: %i[passwords registrations unlocks omniauth_callbacks]
        end
    """)
    routes = [(each.method, each.path, each.handler, each.owner) for each in facts.routes]
    assert routes[:4] == [
        ("GET", "/in", "MineController.new", "User"),
        ("POST", "/in", "MineController.create", "User"),
        ("DELETE", "/sign_out", "MineController.destroy", "User"),
        ("GET", "/sign_out", "MineController.destroy", "User"),
    ]
    assert {(path, handler) for _, path, handler, _ in routes[4:]} == {
        ("/admin_users/confirmation", "Devise.ConfirmationsController.create"),
        ("/admin_users/confirmation", "Devise.ConfirmationsController.show"),
        ("/admin_users/confirmation/new", "Devise.ConfirmationsController.new"),
        ("/admin_users/sign_in", "Devise.SessionsController.create"),
        ("/admin_users/sign_in", "Devise.SessionsController.new"),
        ("/admin_users/sign_out", "Devise.SessionsController.destroy"),
    }


def test_sinatra_and_grape_routes_need_their_class_or_their_import() -> None:
    assert told(ruby('require "sinatra"\nget("/x") { 1 }\nclient.get("/no") { 1 }')) == [
        ("GET", "/x", "")
    ]
    facts = ruby("""\
        class App < Sinatra::Base
          get "/orders/:id" do
            client.get("/no")
          end
        end
        class Api < Grape::API
          prefix :api
          resource :orders do
            get { all }
            route_param :id do
              delete { drop }
            end
          end
        end
        class Other
          get("/no") { 1 }
        end
    """)
    assert told(facts) == [
        ("GET", "/orders/:id", "App"), ("GET", "/api/orders", "Api"),
        ("DELETE", "/api/orders/:id", "Api"),
    ]  # fmt: skip


def test_settings_are_read_from_the_environment() -> None:
    facts = ruby("""\
        ENV["SHOP_HOME"]
        ENV.fetch("SHOP_NAME", "shop")
        ENV.fetch("SHOP_URL")
        ENV.fetch("SHOP_DIR") { "x" }
        cache.fetch("NO")
        cache["NO"]
        ENV["NO"] = "true"
        ENV["SHOP_KIND"] ||= "a"
        ENV["SHOP_MODE"].presence || "b"
        ENV.fetch("RAILS_ENV")
    """)
    assert [(each.name, each.default, each.is_required) for each in facts.settings] == [
        ("SHOP_HOME", None, False), ("SHOP_NAME", "shop", False), ("SHOP_URL", None, True),
        ("SHOP_DIR", "x", False), ("SHOP_KIND", "a", False), ("SHOP_MODE", "b", False),
        ("RAILS_ENV", None, False),
    ]  # fmt: skip


def test_entities_are_records_with_what_they_belong_to() -> None:
    facts = ruby("""\
        class ApplicationRecord < ActiveRecord::Base
          self.abstract_class = true
        end
        class OtherRecord < ActiveRecord::Base
          primary_abstract_class
        end
        class OrderLine < ApplicationRecord
          belongs_to :order
          belongs_to :clerk, class_name: "Shop::Person", foreign_key: "sold_by"
          belongs_to :subject, polymorphic: true
          has_many :parts
        end
        class Old < ActiveRecord::Base
          self.table_name = "legacy"
        end
        class Note
          include Mongoid::Document
          field :text, type: String
        end
        class Plain < Struct
          belongs_to :no
        end
    """)
    assert [(each.name, each.kind, each.symbol) for each in facts.entities] == [
        ("order_lines", "table", "OrderLine"), ("legacy", "table", "Old"),
        ("notes", "document", "Note"),
    ]  # fmt: skip
    assert [(c.name, c.references) for c in facts.entities[0].columns] == [
        ("order_id", "orders"), ("sold_by", "people"), ("subject_id", ""),
    ]  # fmt: skip


def test_jobs_have_their_queues() -> None:
    facts = ruby("""\
        class SendMail < ApplicationJob
          queue_as :mail
        end
        class Sweep
          include Sidekiq::Job
          sidekiq_options queue: "low", retry: 3
        end
        class Inbox < ApplicationMailbox; end
        class Plain
          include Comparable
        end
    """)
    assert [(each.name, each.kind, each.trigger, each.framework) for each in facts.jobs] == [
        ("SendMail", "queue", "mail", "ActiveJob"), ("Sweep", "queue", "low", "Sidekiq"),
        ("Inbox", "consumer", "", "ActionMailbox"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('RSpec.describe Order do\n  it("adds up") { }\n  it { is_expected }\nend',
         ["adds up", "it"]),
        ("class OrderTest < Minitest::Test\n  def test_adds; end\n  def help; end\nend",
         ["test_adds"]),
        ('class OrderTest < ActiveSupport::TestCase\n  test "adds" do\n  end\nend', ["adds"]),
        ('it("is no test") { }', []),
    ],
)  # fmt: skip
def test_tests_are_examples_and_methods(text: str, names: list[str]) -> None:
    assert [each.name for each in ruby(text).tests] == names


def test_commands_are_tasks_thor_methods_and_parsed_options() -> None:
    facts = ruby("""\
        namespace :orders do
          desc "Closes orders"
          task :close, [:day] => :environment do
          end
          task :quiet
          task :check do
          end
          task :reopen => :check do
          end
        end
    """)
    assert [(c.words, c.help, c.line) for c in facts.commands] == [
        (("orders:close",), "Closes orders", 3),
        (("orders:reopen",), "", 8),
    ]
    (command,) = ruby("""\
        class Cli < Thor
          desc "add NAME", "Adds an order"
          option :dry_run, aliases: "-n", desc: "Only look"
          def add(name); end
          def help_me; end
        end
    """).commands
    assert (command.words, command.help, command.handler) == (
        ("add",), "Adds an order", "Cli.add",
    )  # fmt: skip
    assert [(o.names, o.help) for o in command.options] == [
        (("NAME",), ""), (("-n", "--dry-run"), "Only look"),
    ]  # fmt: skip
    (command,) = ruby("""\
        require "optparse"
        OptionParser.new do |opts|
          opts.on("-v", "--verbose", "Says more") { }
        end
        button.on("click") { }
    """).commands
    assert [(o.names, o.help) for o in command.options] == [(("-v", "--verbose"), "Says more")]


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("#!/usr/bin/env ruby\nputs 1", ("script", "script")),
        ('require_relative "app"\nrun Shop::App', ("Shop::App", "server")),
        ("module Shop\n  class Application < Rails::Application\n  end\nend", ("Shop", "app")),
        ("puts 1 if __FILE__ == $0", ("main", "main")),
    ],
)
def test_a_program_begins_in_a_script_a_rack_file_or_an_application(
    text: str, entry: tuple[str, str]
) -> None:
    assert [(each.name, each.kind) for each in ruby(text).entries] == [entry]


def test_tables_of_whenever_tell_each_job_that_a_block_starts() -> None:
    whenever = ruby("""\
        every 1.day, at: "4:30 am" do
          runner "Order.close_old"
          rake "tidy"
        end
        runner "Order.never"
    """)
    assert [(j.name, j.trigger, j.handler, j.framework) for j in whenever.jobs] == [
        ("Order.close_old", '1.day, at: "4:30 am"', "Order.close_old", "whenever"),
        ("tidy", '1.day, at: "4:30 am"', "", "whenever"),
    ]


def test_a_block_of_clockwork_has_the_jobs_that_it_queues_on_its_schedule() -> None:
    clock = ruby("""\
        every(1.hour, "sweep", at: "*:15") do
          Clock::SweepJob
            .set(wait: 3)
            .perform_later
        end
        Clock::OtherJob.perform_later
    """)
    assert [(j.name, j.trigger, j.handler, j.framework) for j in clock.jobs] == [
        ("Clock::SweepJob", '1.hour, at: "*:15"', "Clock::SweepJob.perform", "Clockwork"),
    ]


def test_blocks_of_rufus_are_work_on_their_schedule() -> None:
    facts = ruby("""\
        class Clock
          def start
            @scheduler = Rufus::Scheduler.new
            @scheduler.every "1m" do
              sweep if @open
            end
            cron "0 * * * *", first: :now do
              CloseJob.perform_later
            end
            @list.every 3 do
              other
            end
          end
        end
    """)
    assert [(j.name, j.trigger, j.handler, j.framework) for j in facts.jobs] == [
        ("Clock.sweep", "1m", "Clock.sweep", "rufus-scheduler"),
        ("CloseJob.perform", '"0 * * * *", first: :now', "CloseJob.perform", "rufus-scheduler"),
    ]


def test_callbacks_of_records_are_handlers_of_their_events() -> None:
    facts = ruby("""\
        class Order < ApplicationRecord
          after_commit :index, :greet, on: [:create, :update]
          before_destroy :keep, if: :paid?
          after_create { puts 1 }
          before_validation :trim
        end
        class Plain
          after_create :never
        end
        module Named
          included do
            after_save :note
          end
        end
    """)
    assert [(j.name, j.kind, j.trigger) for j in facts.jobs] == [
        ("Order.index", "event", "Order after_commit, on: create, update"),
        ("Order.greet", "event", "Order after_commit, on: create, update"),
        ("Order.keep", "event", "Order before_destroy, if: :paid?"),
        ("Order after_create", "event", "Order after_create"),
        ("Order.trim", "event", "Order before_validation"),
        ("Named.note", "event", "Named after_save"),
    ]
