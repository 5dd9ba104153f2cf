from __future__ import annotations

import pytest

from stationmaster.db.readers import percent_style


@pytest.mark.parametrize(
    ("sql", "translated"),
    [
        ("SELECT 1", "SELECT 1"),
        ("a = ? AND b = ?", "a = %s AND b = %s"),
        ("a LIKE '5%' OR b % 2 = ?", "a LIKE '5%%' OR b %% 2 = %s"),
        ("a = '?' AND b = ?", "a = '?' AND b = %s"),
        ("a = 'it''s ?' AND b = ?", "a = 'it''s ?' AND b = %s"),
        ('"odd ? column" = ?', '"odd ? column" = %s'),
    ],
)
def test_marks_become_percent_s_outside_quotes_only(sql: str, translated: str) -> None:
    assert percent_style(sql) == translated
