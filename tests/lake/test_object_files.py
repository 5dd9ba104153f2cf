from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Callable
from datetime import date, timedelta
from itertools import count
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from stationmaster.db.engine import Database
from stationmaster.errors import OperatorError, StationmasterError, Unavailable
from stationmaster.lake import compaction, mover as movers, object_files
from stationmaster.lake.object_files import ObjectFiles
from stationmaster.lake.schema import SCHEMA, to_table
from stationmaster.lake.storage import Lake
from stationmaster.settings import Settings
from tests.lake.installation import NOON, Installation, a_delivery
from tests.support.builders import an_event
from tests.support.deaths import Died, Fate
from tests.support.object_storage import ObjectStorage, Proxy

pytestmark = pytest.mark.slow

FRIDAY = date(2026, 11, 20)
_buckets = count(1)


@pytest.fixture
def bucket(object_storage: ObjectStorage) -> str:
    """The URL of a new bucket; the proxy before it is in order, and has carried nothing yet."""
    url = object_storage.bucket(f"lake-{next(_buckets)}")
    proxy = object_storage.proxy
    proxy.is_cut, proxy.broken, proxy.dropped, proxy.torn = False, 0, 0, 0
    proxy.requests.clear()
    return url


@pytest.fixture
def proxy(object_storage: ObjectStorage, bucket: str) -> Proxy:
    return object_storage.proxy


@pytest.fixture
def settings(bucket: str, tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path, lake_url=f"{bucket}/a/prefix")


@pytest.fixture
def lake(settings: Settings) -> Lake:
    return Lake.open(settings)


@pytest.fixture
def remote(place: Installation, settings: Settings) -> Installation:
    """An installation whose lake is in the bucket."""
    place.settings = msgspec.structs.replace(place.settings, lake_url=settings.lake_url)
    return place


def a_part(lake: Lake, name: str = "b1", org: str = "org_a", day: date = FRIDAY) -> str:
    return lake.write(org, day, name, [to_table([an_event(ts=NOON[FRIDAY])])]).path


def noise(megabytes: int) -> pa.Table:
    """A table that does not compress."""
    data = random.Random(1).randbytes(megabytes * 2**20)
    return pa.table({"noise": [data[n : n + 2**16] for n in range(0, len(data), 2**16)]})


def fetched(lake: Lake, path: str, folder: Path) -> pa.Table:
    [copy] = lake.files.copies([path], folder)
    return pq.read_table(copy)


def test_a_part_lies_below_the_prefix_and_reads_as_it_was_written(lake: Lake, bucket: str) -> None:
    path = a_part(lake)
    assert path == f"{bucket}/a/prefix/org=org_a/day=2026-11-20/part-b1.parquet"
    [part] = lake.parts("org_a", FRIDAY)
    assert part.path == path
    with lake.reading(part) as file:
        assert pq.read_table(file).schema.equals(SCHEMA)


def test_a_large_part_is_read_where_it_is_asked_for(
    lake: Lake, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(object_files, "_WHOLE", 1)
    a_part(lake)
    [part] = lake.parts("org_a", FRIDAY)
    with lake.reading(part) as file:
        assert pq.read_table(file, columns=["ts"]).num_rows == 1
    assert len([line for line in proxy.requests if line.startswith("GET")]) > 2


def test_parts_of_other_days_and_what_is_no_part_are_not_listed(lake: Lake, bucket: str) -> None:
    a_part(lake)
    a_part(lake, day=FRIDAY + timedelta(days=1))
    a_part(lake, org="org_a2")
    fs = object_files._filesystem("s3", os.getpid())
    folder = lake.partition("org_a", FRIDAY)
    for name in ("part-x.tmp", "notes.parquet", "part-deep/part-y.parquet"):
        fs.pipe_file(f"{folder}/{name}", b"?")
    assert [part.name for part in lake.parts("org_a", FRIDAY)] == ["part-b1.parquet"]


def test_a_day_without_parts_lists_none_and_asks_once(lake: Lake, proxy: Proxy) -> None:
    assert lake.parts("org_a", FRIDAY) == []
    assert len(proxy.requests) == 1


@pytest.mark.parametrize("org", ["", "..", "org/a", "org=a", "../org_a", "org_ä", "a\n", "a?x=1"])
def test_an_id_that_is_no_safe_name_asks_nothing(lake: Lake, proxy: Proxy, org: str) -> None:
    with pytest.raises(ValueError, match="organization id"):
        lake.parts(org, FRIDAY)
    with pytest.raises(ValueError, match="part name"):
        a_part(lake, name=org)
    assert proxy.requests == []


def test_deleting_a_part_twice_is_as_good_as_once(lake: Lake) -> None:
    path = a_part(lake)
    for _ in range(2):
        lake.files.delete(path)
        assert not lake.files.exists(path)


def test_a_large_part_goes_in_pieces_and_each_is_repeated_for_itself(
    settings: Settings, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(object_files, "_UPLOAD_CHUNK", 5 * 2**20)
    lake = Lake.open(settings)
    table = noise(11)
    proxy.broken = 2
    path = lake.write("org_a", FRIDAY, "large", [table]).path
    pieces = [line for line in proxy.requests if "partNumber" in line]
    assert len(pieces) == 3
    assert fetched(lake, path, settings.data_dir).equals(table)


def test_a_large_part_that_stops_half_way_leaves_nothing_to_be_listed(
    settings: Settings, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(object_files, "_UPLOAD_CHUNK", 5 * 2**20)
    lake = Lake.open(settings)

    def torn() -> object:
        yield noise(11)
        raise OSError("the source does not read")

    with pytest.raises(OSError, match="does not read"):
        lake.write("org_a", FRIDAY, "large", torn())  # type: ignore[arg-type] # ends early
    assert lake.parts("org_a", FRIDAY) == []
    assert not list(settings.scratch_dir.glob("part-*"))


@pytest.mark.parametrize("fault", ["broken", "dropped"])
def test_what_fails_and_passes_is_repeated(lake: Lake, proxy: Proxy, fault: str) -> None:
    setattr(proxy, fault, 2)
    a_part(lake)
    setattr(proxy, fault, 2)
    assert len(lake.parts("org_a", FRIDAY)) == 1


def test_an_answer_that_breaks_off_is_continued(
    lake: Lake, settings: Settings, proxy: Proxy
) -> None:
    table = noise(1)
    path = lake.write("org_a", FRIDAY, "b1", [table]).path
    proxy.torn = 1
    assert fetched(lake, path, settings.data_dir).equals(table)


def test_storage_that_stays_away_is_unavailable_and_a_wrong_bucket_needs_a_person(
    lake: Lake, settings: Settings, proxy: Proxy
) -> None:
    wrong = Lake.open(msgspec.structs.replace(settings, lake_url="s3://no-such-bucket/a"))
    calls: list[Callable[[], object]] = [
        lambda: wrong.parts("org_a", FRIDAY),
        lambda: a_part(wrong),
    ]
    for call in calls:
        with pytest.raises(OperatorError, match="bucket does not exist"):
            call()
    proxy.is_cut = True
    with pytest.raises(Unavailable) as caught:
        lake.parts("org_a", FRIDAY)
    assert caught.value.code == "storage_unavailable"


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("s3://", "must be like s3://bucket/prefix, not s3://"),
        ("bucket/prefix", "must be like s3://bucket/prefix, not bucket/prefix"),
        ("gopher://bucket", "gopher"),
        ("gcs://bucket", "gcsfs"),
    ],
)
def test_a_url_that_cannot_work_is_told_at_the_start(tmp_path: Path, url: str, says: str) -> None:
    with pytest.raises(StationmasterError, match=says) as caught:
        Lake.open(Settings(data_dir=tmp_path, lake_url=url))
    assert isinstance(caught.value, OperatorError)


def test_copies_are_fetched_once_and_the_least_used_go_first(
    lake: Lake, settings: Settings, proxy: Proxy, tmp_path: Path
) -> None:
    paths = [a_part(lake, f"b{n}") for n in range(3)]
    # Ids are random, so the parts differ by some bytes when they are compressed.
    two = 2 * max(part.size for part in lake.parts("org_a", FRIDAY))
    files = ObjectFiles.open(
        str(settings.lake_url), msgspec.structs.replace(settings, lake_copies_max=two)
    )
    for n, wanted in enumerate([paths[:2], [paths[0]], [paths[2]], paths]):
        folder = tmp_path / str(n)
        folder.mkdir()
        before = len(proxy.requests)
        assert len(files.copies(wanted, folder)) == len(wanted)
        # The second is kept of the first; the third drops b1, which the last fetches again.
        assert len(proxy.requests) - before == [2, 0, 1, 1][n]
    assert len(list((settings.scratch_dir / "parts").iterdir())) == 2


def test_a_part_of_which_there_is_a_copy_is_read_from_it(
    lake: Lake, proxy: Proxy, tmp_path: Path
) -> None:
    path = a_part(lake)
    [part] = lake.parts("org_a", FRIDAY)
    lake.files.copies([path], tmp_path)
    proxy.is_cut = True
    with lake.reading(part) as file:
        assert pq.read_table(file).num_rows == 1
    lake.files.drop_cached(path)
    with pytest.raises(Unavailable), lake.reading(part):
        pass


def test_a_copy_that_was_cut_short_is_not_read(
    lake: Lake, settings: Settings, tmp_path: Path
) -> None:
    path = a_part(lake)
    lake.files.copies([path], tmp_path)
    [kept] = (settings.scratch_dir / "parts").iterdir()
    kept.write_bytes(b"PAR1")
    [part] = lake.parts("org_a", FRIDAY)
    with lake.reading(part) as file:
        assert pq.read_table(file).num_rows == 1
    assert not kept.exists()


def test_a_copy_that_nobody_uses_goes(lake: Lake, settings: Settings, tmp_path: Path) -> None:
    old, new = a_part(lake, "b1"), a_part(lake, "b2")
    lake.files.copies([old], tmp_path)
    [kept] = (settings.scratch_dir / "parts").iterdir()
    used = kept.stat().st_mtime - 2 * 86_400
    os.utime(kept, (used, used))
    lake.files.copies([new], tmp_path)
    assert not kept.exists()


def test_a_part_that_is_gone_is_told_from_storage_that_fails(lake: Lake, tmp_path: Path) -> None:
    path = a_part(lake)
    lake.files.delete(path)
    with pytest.raises(FileNotFoundError):
        lake.files.copies([path], tmp_path)


def test_many_small_parts_become_one(
    state: Database, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compaction, "PARTS_MAX", 4)
    for n in range(5):
        a_part(lake, f"b{n}")
    [merged] = compaction.compact(state, lake, "org_a", FRIDAY)
    [part] = lake.parts("org_a", FRIDAY)
    assert part.path == merged
    with lake.reading(part) as file:
        assert pq.read_metadata(file).num_rows == 5


def test_a_cut_network_keeps_the_inbox_and_loses_and_doubles_nothing(
    remote: Installation, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(movers, "GATHER_S", 0.05)
    monkeypatch.setattr(movers, "_RETRY_S", 0.05)
    proxy.is_cut = True
    deliveries = [a_delivery("org_a", ts=NOON[FRIDAY]) for _ in range(3)]
    stop = threading.Event()
    mover = remote.mover()
    remote.fill(deliveries[0])
    with pytest.raises(Unavailable):
        mover.move()
    thread = threading.Thread(target=mover.run, args=(stop,))
    thread.start()
    try:
        remote.fill(*deliveries[1:])
        assert remote.waiting() == 3
        assert remote.landed() == []
        proxy.is_cut = False
        deadline = time.monotonic() + 60
        while remote.waiting() and time.monotonic() < deadline:
            time.sleep(0.02)
    finally:
        stop.set()
        thread.join()
    assert remote.waiting() == 0
    wanted = sorted(event.event_id for delivery in deliveries for event in delivery.events)
    assert remote.lake_ids("org_a", FRIDAY) == wanted
    assert remote.outcomes() == [("org_a", "claude-code", "otlp_logs", "kept", 9)]


def test_a_mover_that_dies_around_any_step_loses_and_doubles_nothing(
    remote: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    fate = Fate()
    fate.around(monkeypatch, Lake, "write_each")
    fate.around_transactions(monkeypatch)
    kept: list[str] = []
    rounds, died = 0, True
    while died:
        rounds += 1
        delivery = a_delivery("org_a", ts=NOON[FRIDAY])
        kept += [event.event_id for event in delivery.events]
        fate.left = 0
        remote.fill(delivery)
        fate.left, died = rounds, False
        try:
            remote.mover().drain()
        except Died:
            died = True
        fate.left = 0
        remote.mover().drain()
    assert rounds > 10
    assert remote.waiting() == 0
    assert remote.lake_ids("org_a", FRIDAY) == sorted(kept)
    assert remote.landed() == [("org_a", "2026-11-20", rounds, 0)]
    assert remote.outcomes() == [("org_a", "claude-code", "otlp_logs", "kept", 3 * rounds)]


def test_two_movers_that_finish_one_batch_leave_one_part_and_one_account(
    remote: Installation,
) -> None:
    delivery = a_delivery("org_a", ts=NOON[FRIDAY])
    remote.fill(delivery)
    batch_id = remote.mover()._claim(None)
    assert batch_id is not None
    first, second = remote.mover(), remote.mover()
    both = [threading.Thread(target=mover.drain) for mover in (first, second)]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join()
    assert len(remote.parts("org_a", FRIDAY)) == 1
    assert remote.lake_ids("org_a", FRIDAY) == sorted(e.event_id for e in delivery.events)
    assert remote.landed() == [("org_a", "2026-11-20", 1, 0)]


def test_no_request_looks_beyond_one_day_however_much_is_stored(
    remote: Installation, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compaction, "PARTS_MAX", 2)
    lake = Lake.open(remote.settings)

    def asked() -> list[str]:
        """What moving two batches into a day asks the storage, a merge of its parts included."""
        proxy.requests.clear()
        for _ in range(2):
            remote.fill(a_delivery("org_a", ts=NOON[FRIDAY]))
            remote.mover().move()
        for part in lake.parts("org_a", FRIDAY):
            lake.files.delete(part.path)
        return [line.split()[0] for line in proxy.requests]

    young = asked()
    for n in range(12):
        a_part(lake, day=FRIDAY - timedelta(days=n + 1))
        a_part(lake, org=f"org_{n}")
    assert asked() == young
    listings = [line for line in proxy.requests if "list-type" in line]
    assert listings
    assert all("day%3D2026-11-20%2Fpart-" in line for line in listings)
