"""Are answers found in code? Questions to public repositories, each with the functions that answer
it, chosen by reading the code before any search.

python -m benchmarks.code_questions FOLDER… : clones, each in a folder called after its repository
(`owner+name/repo` or `name`), in which nothing is changed.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from pathlib import Path

from benchmarks.wiki_quality import _name
from stationmaster.repos.reading import open_path
from stationmaster.wiki.model import CODE_PASSAGES, CodePassage
from stationmaster.wiki.searching import functions

QUESTIONS: Mapping[str, Mapping[str, str]] = {
    "remark42": {
        "How is a comment ranked as controversial?": "service/service.go controversy",
        "How are requests to private addresses refused when images are fetched?":
            "safehttp/safehttp.go Transport IsPrivateIP",
        "For how long can a comment be edited?": "service/service.go EditComment",
        "What stops somebody from voting twice from the same IP?":
            "service/service.go isSameIPVote Vote",
        "How does the cleanup decide that a comment is spam?": "cmd/cleanup.go isSpam",
        "When are uploaded images removed that no comment uses?":
            "image/image.go Cleanup image/fs_store.go Cleanup image/bolt_store.go Cleanup",
    },
    "atuin": {
        "How does it decide whether a command is saved in the history?":
            "client/src/history.rs should_save",
        "When does a sync happen automatically?": "client/src/settings.rs should_sync",
        "How is the frecency of a command calculated?": "search/index.rs compute",
        "How is the difference between local and remote records found?":
            "record/mod.rs diff sync/mod.rs diff",
        "How are fuzzy search results reordered?": "src/ordering.rs reorder reorder_fuzzy",
        "How are duplicate commands removed from the history?":
            "client/history.rs handle_dedup src/database.rs get_dups",
    },
    "beets": {
        "How is the distance between an album and a candidate computed?":
            "autotag/distance.py distance",
        "How are duplicates detected during an import?": "importer/tasks.py find_duplicates",
        "How does the importer decide how strong a recommendation is?":
            "autotag/match.py _recommendation",
        "How are tracks matched to the items of an album?": "autotag/match.py assign_items",
        "How does an interrupted import resume?": "importer/session.py ask_resume",
        "How is the path worked out where a file is stored?": "library/models.py destination",
    },
    "grocy": {
        "Who has to do a chore next?": "ChoresService.php CalculateNextExecutionAssignment",
        "Which due date does a product get when none is given?":
            "services/StockService.php AddProduct",
        "How does it decide which database migrations to execute?":
            "DatabaseMigrationService.php MigrateDatabase ExecutePhpMigrationWhenNeeded"
            " ExecuteSqlMigrationWhenNeeded",
        "How is a product found by its barcode?":
            "services/StockService.php GetProductIdFromBarcode",
        "When does a login session expire?": "SessionService.php CreateSession IsValidSession",
        "How are missing products added to the shopping list?":
            "services/StockService.php AddMissingProductsToShoppingList",
    },
    "sshx": {
        "How is the output of a terminal encrypted?": "src/encrypt.rs segment",
        "What happens when the client loses its connection to the server?":
            "src/controller.rs run try_channel",
        "When are old sessions closed?": "src/state.rs close_old_sessions",
        "How is it checked that a user may write?": "src/session.rs check_write_permission",
        "How does a server find out which host owns a session?":
            "state/mesh.rs get_owner get_owner_snapshot",
        "How is a session saved and restored?": "session/snapshot.rs snapshot restore",
    },
    "traccar": {
        "How are duplicate positions filtered?": "FilterHandler.java filterDuplicate filter",
        "When does a device count as speeding?": "OverspeedProcessor.java updateState checkEvent",
        "How are trips and stops detected?":
            "ReportUtils.java detectTripsAndStops slowTripsAndStops fastTripsAndStops"
            " MotionProcessor.java updateState",
        "When does a device go offline?":
            "ConnectionManager.java deviceDisconnected deviceUnknown updateDevice",
        "How are positions put in order that arrive late?":
            "BufferingManager.java accept scheduleTimeout compareTo",
        "How is the password of a user checked with LDAP?":
            "LdapProvider.java login LoginService.java login",
    },
    "v2": {
        "How is the next check of a feed scheduled?": "model/feed.go ScheduleNextCheck",
        "How does the reader extract the main content of a page?":
            "readability.go ExtractContent getTopCandidate getCandidates",
        "Which entries are blocked by filter rules?":
            "filter/filter.go IsBlockedEntry matchesEntryFilterRules",
        "How are tracking pixels removed?": "sanitizer/sanitizer.go isPixelTracker",
    },
    "uptime-kuma": {
        "When is a notification sent about a monitor going down?":
            "model/monitor.js isImportantForNotification sendNotification",
        "How is it determined that a monitor is under maintenance?":
            "model/monitor.js isUnderMaintenance model/maintenance.js isUnderMaintenance",
        "How is the uptime calculated?": "uptime-calculator.js getData update getDataByDuration",
        "How are old heartbeats cleared?": "jobs/clear-old-data.js clearOldData",
    },
    "linkding": {
        "How are tags assigned automatically to a bookmark by its address?":
            "services/auto_tagging.py get_tags",
        "When is a favicon downloaded again?": "favicon_loader.py _is_stale load_favicon",
        "How is a search query turned into a filter of the database?":
            "bookmarks/queries.py _convert_ast_to_q_object _filter_search_query",
        "How are duplicates avoided when bookmarks are imported?":
            "services/importer.py _import_batch",
    },
}  # fmt: skip
"""By repository the ends of paths (words with a dot), each before the names of its functions."""


def main() -> None:
    found = asked = 0
    started = time.perf_counter()
    for folder in sys.argv[1:]:
        with open_path(Path(folder)) as snapshot:
            source = snapshot.source
        for question, answer in QUESTIONS[_name(Path(folder)).rpartition("/")[2]].items():
            passages = functions.passages(source, question, CODE_PASSAGES)
            is_found = any(_is_of(answer, passage) for passage in passages)
            asked += 1
            found += is_found
            if not is_found:
                print(question, *(f"{it.path} {it.name}" for it in passages), sep="\n  ")
    seconds = (time.perf_counter() - started) / max(asked, 1)
    print(f"{found} of {asked}: {found / max(asked, 1):.2f}, {seconds:.2f} s a question")


def _is_of(answer: str, passage: CodePassage) -> bool:
    path = ""
    for word in answer.split():
        path = word if "." in word else path
        own_name = passage.name.partition("(")[0].rpartition(".")[2]
        if passage.path.endswith(path) and word == own_name:
            return True
    return False


if __name__ == "__main__":
    main()
