"""Imports exported packages with the Python library of Anki 2.1.15 and prints the results.

  python3 lab/oracles/anki.py FOLDER base.apkg [changed.apkg [progress.apkg]]

FOLDER contains https://github.com/ankitects/anki at the tag 2.1.15. The script needs Debian's python3-bs4,
python3-requests, python3-decorator, python3-markdown, python3-jsonschema, python3-distro and python3-send2trash.
`changed.apkg` is an export of the same store after some texts were changed, `progress.apkg` an export with progress.
"""

import json
import os
import shutil
import sqlite3
import sys
import tempfile
import zipfile

source, base, changed, progress = (sys.argv[1:] + [None] * 4)[:4]
sys.path.insert(0, source)
from anki import Collection  # noqa: E402
from anki.importing import anki2  # noqa: E402
from anki.importing.apkg import AnkiPackageImporter  # noqa: E402


def collection(scheduler=1):
    created = Collection(os.path.join(tempfile.mkdtemp(), "collection.anki2"))
    if scheduler == 2:
        created.changeSchedulerVer(2)
    return created


def take(col, path):
    importer = AnkiPackageImporter(col, path)
    importer.run()
    return {"added": importer.added, "updated": importer.updated, "identical": importer.dupes}


def say(what, *values):
    print(what + ":", *values, flush=True)


def rewrite(path, change):
    """Copies the package, applies `change(folder, database)` to the unpacked copy and returns the path of the copy."""
    folder = tempfile.mkdtemp()
    with zipfile.ZipFile(path) as package:
        package.extractall(folder)
    database = sqlite3.connect(os.path.join(folder, "collection.anki2"))
    change(folder, database)
    database.commit()
    database.close()
    file = os.path.join(tempfile.mkdtemp(), "changed.apkg")
    with zipfile.ZipFile(file, "w") as package:
        for name in os.listdir(folder):
            package.write(os.path.join(folder, name), name)
    return file


def negative_controls():
    controls = {
        "no media entry": lambda folder, db: os.remove(os.path.join(folder, "media")),
        "ver 12": lambda folder, db: db.execute("update col set ver = 12"),
        "missing note type": lambda folder, db: db.execute("update col set models = '{}'"),
        "missing deck": lambda folder, db: db.execute("update cards set did = 4711"),
        "wrong number of fields": lambda folder, db: db.execute("update notes set flds = flds || char(31) || 'x'"),
    }
    for name, change in controls.items():
        col = collection()
        try:
            result = take(col, rewrite(base, change))
            message, ok = col.fixIntegrity()
            say(f"control, {name}", result, "clean" if ok and "rebuilt" in message and "\n" not in message else message)
        except Exception as error:
            say(f"control, {name}", "refused", type(error).__name__, error)


def patch_for_anki21():
    """Works around a fault of 2.1.15, which cannot open the `.anki21` file that it unpacks; 2.1.22 can."""
    opened = anki2.Collection

    def open_any(path, *rest, **more):
        if path.endswith(".anki21"):
            copy = path[: -len("21")] + "2"
            shutil.copy(path, copy)
            path = copy
        return opened(path, *rest, **more)

    anki2.Collection = open_any


base, changed, progress = (path and os.path.abspath(path) for path in (base, changed, progress))
say("files", zipfile.ZipFile(base).namelist()[:3])
col = collection()
say("first import", take(col, base))
say("cards", col.db.scalar("select count() from cards"), "media", len(os.listdir(col.media.dir())))
say("again", take(col, base))
say("check", col.fixIntegrity())
say("decks", sorted(deck["name"] for deck in col.decks.all())[:5])
if changed:
    col.decks.select(col.decks.id("svc-training"))
    col.reset()
    studied = 0
    while studied < 5:
        card = col.sched.getCard()
        col.sched.answerCard(card, 4 if card.type == 0 and col.sched.answerButtons(card) == 4 else 3)
        studied += 1
    state = "select nid, type, queue, due, ivl, reps from cards where reps > 0 order by nid"
    before, log = col.db.all(state), col.db.scalar("select count() from revlog")
    say("import of changed texts", take(col, changed))
    say("cards", col.db.scalar("select count() from cards"))
    say("progress kept", col.db.all(state) == before, "of", len(before), "cards; log", col.db.scalar("select count() from revlog") == log)
    say("check", col.fixIntegrity())
    say("changed", [row[:60] for row in col.db.list("select sfld from notes order by mod desc limit 2")])
negative_controls()
if progress:
    patch_for_anki21()
    learner = collection(scheduler=2)
    learner.crt -= 86400 * 400
    say("import with progress", take(learner, progress))
    say("learned", learner.db.all("select type, queue, due - ?, ivl, reps, lapses, factor, data from cards where type = 2 order by id limit 3", learner.sched.today))
    say("log", learner.db.scalar("select count() from revlog"), learner.db.all("select ease, ivl, type, time from revlog order by id limit 3"))
    say("check", learner.fixIntegrity())
