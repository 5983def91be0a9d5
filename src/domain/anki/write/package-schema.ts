/**
 * Tables of an Anki package in schema 11, which Anki 2.0 and later read. Source: https://github.com/ankitects/anki
 * (rslib/src/storage/schema11.sql); see docs/decisions/0018-anki-writer.md.
 */
export const TABLES = `
  create table col (
    id integer primary key, crt integer not null, mod integer not null, scm integer not null, ver integer not null,
    dty integer not null, usn integer not null, ls integer not null, conf text not null, models text not null,
    decks text not null, dconf text not null, tags text not null
  );
  create table notes (
    id integer primary key, guid text not null, mid integer not null, mod integer not null, usn integer not null,
    tags text not null, flds text not null, sfld integer not null, csum integer not null, flags integer not null,
    data text not null
  );
  create table cards (
    id integer primary key, nid integer not null, did integer not null, ord integer not null, mod integer not null,
    usn integer not null, type integer not null, queue integer not null, due integer not null, ivl integer not null,
    factor integer not null, reps integer not null, lapses integer not null, left integer not null,
    odue integer not null, odid integer not null, flags integer not null, data text not null
  );
  create table revlog (
    id integer primary key, cid integer not null, usn integer not null, ease integer not null, ivl integer not null,
    lastIvl integer not null, factor integer not null, time integer not null, type integer not null
  );
  create table graves (usn integer not null, oid integer not null, type integer not null);`

/** Indexes, created after all rows. Without them Anki takes very long to import many cards. */
export const INDEXES = `
  create index ix_notes_usn on notes (usn);
  create index ix_cards_usn on cards (usn);
  create index ix_revlog_usn on revlog (usn);
  create index ix_cards_nid on cards (nid);
  create index ix_cards_sched on cards (did, queue, due);
  create index ix_revlog_cid on revlog (cid);
  create index ix_notes_csum on notes (csum);`

/**
 * Id of the note type. Anki identifies a note type by id, fields and templates, and imports a note of another type as a
 * new note, so id, fields and templates must never change. The style sheet may change together with `STYLE_CHANGED`.
 */
export const MODEL_ID = 1_763_700_000_000
/** Time of the last change of the style sheet in Unix seconds */
const STYLE_CHANGED = 1_763_700_000

// The only colour is a translucent grey, which suits the light and the dark theme of Anki.
const STYLE = `.card { font-family: sans-serif; font-size: 20px; line-height: 1.4; text-align: left; max-width: 45em; margin: 0 auto; }
pre, code { font-family: monospace; font-size: 0.9em; background: rgba(128, 128, 128, 0.18); border-radius: 4px; }
code { padding: 0.1em 0.3em; }
pre { padding: 0.6em; overflow-x: auto; }
pre code { padding: 0; background: none; font-size: 1em; }
table { border-collapse: collapse; }
th, td { border: 1px solid rgba(128, 128, 128, 0.6); padding: 0.2em 0.5em; }
blockquote { margin-left: 0; padding-left: 0.8em; border-left: 3px solid rgba(128, 128, 128, 0.6); }
img { max-width: 100%; height: auto; }
`

const field = (name: string, ord: number) => ({
  name,
  ord,
  sticky: false,
  rtl: false,
  font: 'Arial',
  size: 20,
  media: [],
})

const MODEL = {
  id: MODEL_ID,
  name: 'svc-training',
  type: 0,
  mod: STYLE_CHANGED,
  usn: -1,
  sortf: 0,
  did: null,
  tmpls: [
    {
      name: 'Karte',
      ord: 0,
      qfmt: '{{Frage}}',
      afmt: '{{FrontSide}}\n\n<hr id=answer>\n\n{{Antwort}}',
      did: null,
      bqfmt: '',
      bafmt: '',
    },
  ],
  flds: [field('Frage', 0), field('Antwort', 1)],
  css: STYLE,
  latexPre:
    '\\documentclass[12pt]{article}\n\\special{papersize=3in,5in}\n\\usepackage[utf8]{inputenc}\n\\usepackage{amssymb,amsmath}\n\\pagestyle{empty}\n\\setlength{\\parindent}{0in}\n\\begin{document}\n',
  latexPost: '\\end{document}',
  tags: [],
  vers: [],
  req: [[0, 'any', [0]]],
}

const DECK_OPTIONS = {
  id: 1,
  name: 'Default',
  mod: 0,
  usn: 0,
  maxTaken: 60,
  autoplay: true,
  timer: 0,
  replayq: true,
  dyn: false,
  new: { bury: true, delays: [1, 10], initialFactor: 2500, ints: [1, 4, 7], order: 1, perDay: 20, separate: true },
  rev: { bury: true, ease4: 1.3, fuzz: 0.05, ivlFct: 1, maxIvl: 36_500, minSpace: 1, perDay: 200 },
  lapse: { delays: [10], leechAction: 0, leechFails: 8, minInt: 1, mult: 0 },
}

export interface PackageDeck {
  id: number
  name: string
}

function deckEntry({ id, name }: PackageDeck, seconds: number) {
  const today = [0, 0]
  return {
    id,
    name,
    mod: seconds,
    usn: -1,
    desc: '',
    dyn: 0,
    conf: 1,
    collapsed: false,
    browserCollapsed: false,
    extendNew: 0,
    extendRev: 0,
    lrnToday: today,
    revToday: today,
    newToday: today,
    timeToday: today,
  }
}

export interface PackageCollection {
  now: Date
  /** Start of day 0 of due dates in Unix seconds, and the time zone offset at that time in minutes west of UTC */
  created: { seconds: number; minutesWest: number }
  decks: readonly PackageDeck[]
  nextPosition: number
  /** Version of Anki's scheduler; progress requires 2 */
  scheduler: 1 | 2
}

/** Returns the row of the table `col`, with the values in column order. */
export function collectionRow({
  now,
  created,
  decks,
  nextPosition,
  scheduler,
}: PackageCollection): (number | string)[] {
  const milliseconds = now.getTime()
  const seconds = Math.floor(milliseconds / 1000)
  const conf = {
    nextPos: nextPosition,
    estTimes: true,
    activeDecks: [1],
    sortType: 'noteFld',
    timeLim: 0,
    sortBackwards: false,
    addToCur: true,
    curDeck: 1,
    newBury: true,
    newSpread: 0,
    dueCounts: true,
    curModel: String(MODEL_ID),
    collapseTime: 1200,
    schedVer: scheduler,
    ...(scheduler === 2 && { creationOffset: created.minutesWest }),
  }
  const all = [{ id: 1, name: 'Default' }, ...decks]
  const byId = Object.fromEntries(all.map((deck) => [deck.id, deckEntry(deck, seconds)]))
  const json = [conf, { [MODEL_ID]: MODEL }, byId, { 1: DECK_OPTIONS }, {}].map((value) => JSON.stringify(value))
  return [1, created.seconds, milliseconds, milliseconds, 11, 0, 0, 0, ...json]
}
