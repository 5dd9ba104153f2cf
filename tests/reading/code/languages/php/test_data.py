from tests.reading.code.reading import facts_of


def test_the_table_between_two_entities_of_doctrine_has_the_keys_of_both() -> None:
    facts = facts_of(
        "PHP",
        """<?php
        use Doctrine\\ORM\\Mapping as ORM;
        #[ORM\\Entity]
        class Order {
            #[ORM\\Id]
            private int $id;
            #[ORM\\ManyToMany(targetEntity: Tag::class)]
            #[ORM\\JoinTable(name: 'order_tag')]
            private $tags;
            #[ORM\\ManyToMany(targetEntity: Gift::class)]
            #[ORM\\JoinTable(name: 'order_gift')]
            #[ORM\\JoinColumn(name: 'shop_order')]
            private $gifts;
        }
    """,
    )
    between, _ = sorted(facts.entities, key=lambda entity: entity.name == "Order")
    assert between.name == "order_tag"
    assert [(it.name, it.references, it.is_key) for it in between.columns] == [
        ("order_id", "Order", True),
        ("tag_id", "Tag", True),
    ]


def test_a_function_that_is_given_a_variable_and_its_default() -> None:
    facts = facts_of(
        "PHP",
        """<?php
        $level = (string) env_default_when_empty(env('LOG_LEVEL'), 'info');
        $host = default_if_empty(trim(env('HOST')), $other);
        $mail = pair(env('MAIL'), 'no');
        $both = env_or_else('x', env('BOTH'));
    """,
    )
    assert [(it.name, it.default) for it in facts.settings] == [
        ("LOG_LEVEL", "info"),
        ("HOST", None),
        ("MAIL", None),
        ("BOTH", None),
    ]


def test_of_branches_the_one_that_is_chosen_by_default_has_the_defaults() -> None:
    facts = facts_of(
        "PHP",
        """<?php
        return [
            'default' => when_empty(env('STORE'), 'mysql'),
            'stores' => [
                'mysql' => [
                    'port' => env('PORT', $port),
                    'host' => env('HOST', 'here'),
                ],
                'other' => [
                    'port' => env('PORT', '1433'),
                    'host' => env('HOST', 'there'),
                    'schema' => env('SCHEMA', 'public'),
                ],
            ],
        ];
    """,
    )
    assert [(it.name, it.default) for it in facts.settings] == [
        ("STORE", "mysql"),
        ("PORT", None),
        ("HOST", "here"),
        ("PORT", None),
        ("HOST", None),
        ("SCHEMA", "public"),
    ]


def test_a_default_that_is_no_literal_is_a_product_a_name_or_the_words_of_code() -> None:
    facts = facts_of(
        "PHP",
        """<?php
        return [
            env('DRIVER', Backup::WINGS), env('SIZE', 5 * 1024 * 1024), env('NONE', null),
            env('STORE', env('CACHE', 'redis')),
        ];
    """,
    )
    assert {it.name: it.default for it in facts.settings} == {
        "DRIVER": "{$Backup::WINGS}",
        "SIZE": "5242880",
        "NONE": None,
        "STORE": "env('CACHE', 'redis')",
        "CACHE": "redis",
    }
