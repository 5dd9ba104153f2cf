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
