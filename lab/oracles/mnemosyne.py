"""Imports an exported package into Mnemosyne and prints the resulting counts and one card.

  python3 lab/oracles/mnemosyne.py FOLDER base.apkg

FOLDER contains https://github.com/mnemosyne-proj/mnemosyne (git master, with `mnemosyne/` and `tests/`). The script
needs Debian's python3-gtts, python3-googletrans, python3-cheroot, python3-webob, python3-pil, python3-matplotlib.
"""

import os
import sys

folder, base = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
tests = os.path.join(folder, "tests")
os.chdir(tests)
sys.path[:0] = [folder, tests, os.path.join(folder, "mnemosyne", "libmnemosyne", "renderers")]
from mnemosyne_test import MnemosyneTest  # noqa: E402
from mnemosyne.libmnemosyne import Mnemosyne  # noqa: E402

test = MnemosyneTest()
test.initialise_data_dir()
test.mnemosyne = Mnemosyne(upload_science_logs=False, interested_in_old_reps=True, asynchronous_database=True)
test.mnemosyne.components.insert(
    0, ("mnemosyne.libmnemosyne.gui_translators.gettext_gui_translator", "GetTextGuiTranslator")
)
test.mnemosyne.gui_for_component["ScheduledForgottenNew"] = [("mnemosyne_test", "TestReviewWidget")]
test.mnemosyne.components.append(("test_mem_import", "Widget"))
test.mnemosyne.components.append(("test_mem_import", "MyImportDialog"))
test.mnemosyne.initialise(os.path.abspath("dot_test"), automatic_upgrades=False)
test.review_controller().reset()
for importer in test.mnemosyne.component_manager.all("file_format"):
    if importer.__class__.__name__ == "Anki2":
        importer.do_import(base)
database = test.database()
print("cards:", database.card_count(), "facts:", database.fact_count())
card = database.card(database.con.execute("select _id from cards limit 1").fetchone()[0], is_id_internal=True)
print("question:", card.question(render_chain="plain_text"))
print("answer:", card.answer(render_chain="plain_text")[:200])
