import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { ROOT } from '../support/constants.js'

const ASSETS = path.join(ROOT, 'dist/app/en/assets')
/** Literals of the compiled scripts, and the texts and attributes of their templates */
const LITERALS = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g
const TEXTS = />([^<>]+)<|\s[\w-]+="([^"<>]*)"/g
const GERMAN =
  /[äöüßÄÖÜ]|\b(?:der|die|das|und|nicht|ist|sind|eine?|mit|für|bis|noch|auf|wird|werden|keine?|oder|zum|zur|nur|bitte|deine?|du|Wunsch|Karten?|Frage|Antwort|Aufgabe|Nachweis|Benutzer|Gruppe|Suche|Zeile|Spalte|Datei|Fassung|Fehler|Quelle|Sprache|Tage?|Woche|Monat|Jahr)\b/
/** Strings that are not shown as they are: pieces of addresses and code, single letters, values of the service, examples */
const VALUES = /^[./]|[=?]|^Benutzer$|^.$|^Jürgen Größer$|wird hochgeladen|^aufgaben\/|^inhalte\//

t.test('the English app has no German texts', async (t) => {
  const files = readdirSync(ASSETS).filter((file) => file.endsWith('.js'))
  t.ok(files.length > 20)
  const found = new Set<string>()
  for (const file of files) {
    for (const [literal] of readFileSync(path.join(ASSETS, file), 'utf8').matchAll(LITERALS)) {
      const inner = literal.slice(1, -1)
      const isTemplate = inner.startsWith('<') || inner.includes('</')
      const texts = isTemplate ? [...inner.matchAll(TEXTS)].map(([, text, value]) => text ?? value ?? '') : [inner]
      for (const text of texts) if (GERMAN.test(text) && !VALUES.test(text.trim())) found.add(text)
    }
  }
  t.strictSame([...found], [])
})
