from lambdas.design.table import INDEXES, TABLE, TTL_ATTRIBUTE


def test_the_table_and_its_indexes_are_those_of_the_contract_and_there_may_be_more() -> None:
    rows = {
        (index.name, index.partition_key, index.sort_key, index.projection)
        for index in (TABLE, *INDEXES)
    }
    assert rows >= {
        ("", "PK", "SK", "ALL"),
        ("GSI1", "GSI1PK", "GSI1SK", "ALL"),
        ("GSI2", "GSI2PK", "GSI2SK", "ALL"),
        ("InvertedIndex", "SK", "PK", "KEYS_ONLY"),
    }


def test_items_expire_by_the_attribute_of_the_contract() -> None:
    assert TTL_ATTRIBUTE == "ExpiresAt"
