"""Packages that are there for tests, by their names in all ecosystems."""

from __future__ import annotations

import fnmatch
import re

_PATTERNS = """
    pytest* jest jest-* @jest/* ts-jest vitest @vitest/* mocha chai chai-* sinon* ava tap karma*
    jasmine* cypress cypress-* playwright @playwright/* pytest-playwright @testing-library/*
    enzyme* supertest nock msw puppeteer* webdriverio @wdio/* testcafe nyc c8 istanbul* tox nox
    coverage hypothesis factory-boy factory_boy faker freezegun time-machine responses respx
    vcrpy moto testcontainers* @testcontainers/* selenium* behave locust mock requests-mock
    model-bakery django-test-* unittest-* tblib parameterized snapshottest syrupy
    github.com/stretchr/* github.com/onsi/* go.uber.org/mock github.com/golang/mock
    github.com/matryer/* github.com/data-dog/go-sqlmock gotest.tools* github.com/h2non/gock
    github.com/jarcoal/httpmock github.com/go-playground/assert* github.com/frankban/quicktest
    junit:* org.junit* org.junit*:* org.mockito* org.mockito*:* org.assertj:* org.hamcrest:*
    com.google.truth:* io.kotest* io.kotest*:* io.mockk:* io.rest-assured:* org.testng:*
    *:*-test *:*-test-* *:*-testing*
    *:spring-boot-starter-test com.squareup.okhttp3:mockwebserver
    com.tngtech.archunit:* org.wiremock:* com.github.tomakehurst:* org.awaitility:* *:*-testlib
    rspec* minitest* capybara* factory_bot* shoulda* simplecov* webmock vcr cucumber* timecop
    database_cleaner* mocha-* guard-rspec phpunit/* pestphp/* mockery/* behat/* fakerphp/*
    brianium/paratest symfony/phpunit-bridge orchestra/testbench xunit* nunit* mstest* moq
    nsubstitute* fluentassertions* shouldly bogus coverlet* microsoft.net.test.sdk
    benchmarkdotnet
    microsoft.aspnetcore.mvc.testing autofixture* verify.* microsoft.testing.*
    criterion proptest*
    quickcheck* mockall* rstest* insta wiremock assert_cmd assert_fs predicates trybuild mockito
    serial_test pretty_assertions test-log test-case tempfile quick/quick happy-dom jsdom
    @storybook/test* axe-core @axe-core/* jest-axe fake-indexeddb
    """
"""For fnmatch, in lower case."""
_KNOWN = re.compile("|".join(map(fnmatch.translate, _PATTERNS.split())))


def is_for_tests(name: str) -> bool:
    return _KNOWN.match(name.lower()) is not None
