import t from 'tap'
import { describeForeignText } from '../../../../src/domain/content/upload/foreign-file.js'

const describe = (text: string, isWhole = true) => describeForeignText(Buffer.from(text), isWhole)?.message

t.test('names the format of a text that is no table', async (t) => {
  const quiz = Array.from({ length: 30 }, (_, at) => `## Frage ${at}\n\n- [x] ja, immer\n- [ ] nein; nie\n`).join('\n')
  const cases: [text: string, message: RegExp][] = [
    [quiz, /^Das ist ein Text in Markdown\. In einem Archiv/],
    ['---\ntitle: Netze\ntags:\n  - a\n---\nEin Text.', /^Das ist ein Text in Markdown/],
    ['# Linux\n\n1. `ls` zeigt Dateien\n2. `cd` wechselt den Ordner\n', /^Das ist ein Text in Markdown/],
    ['{"cards": [\n  {"front": "Hund", "back": "dog"},\n', /^Das sind Daten im Format JSON\. Übertrage die Karten/],
    ['[{"q":"1; 2?","a":"3;4"},{"q":"5;', /JSON/],
    ['{"q":"Hund","a":"dog"}\n{"q":"Katze","a":"cat"}\n', /JSON/],
    ['Hund::dog\nKatze::cat\n', /^Frage und Antwort sind in dieser Datei mit „::“ getrennt\. Ersetze „::“/],
    ['DNS - übersetzt Namen in Adressen\nDHCP - vergibt Adressen, auch für IPv6\n', /mit „-“ getrennt/],
    ['DNS – übersetzt Namen\nNTP – stellt die Uhr\n', /mit „–“ getrennt/],
    ['der Hund = dog\ndie Katze = cat\n', /mit „=“ getrennt/],
    ['Gewicht --- eine Kraft\nMasse---eine Eigenschaft, in kg\n', /mit „---“ getrennt\. Ersetze „---“/],
    ['ein alter Hut /////etwas Bekanntes\nins Gras beißen/////sterben\n', /mit „\/\/\/\/\/“ getrennt/],
    ['// Einstellungen\n// des Editors\n{\n  "tabSize": 2,\n  "wrap": true\n}\n', /JSON/],
    ['<h2>Wörter</h2>\n<p>Hund</p>\n\n<ul>\n  <li>dog</li>\n</ul>\n', /^Das ist ein Text in HTML oder XML\. Übertrage/],
    ['<item id="a">\n  <text>Hund</text>\n</item>\n', /HTML oder XML/],
    [`# https://example.org/woerter\n${'Hund\nKatze\n'.repeat(5)}`, /keine Spalten/],
    ['Port 22: SSH\nPort 53: DNS\n', /mit „:“ getrennt/],
    ['Q: Welcher Port?\nA: 22\n\nQ: Und DNS?\nA: 53\n', /^Frage und Antwort stehen in dieser Datei untereinander/],
    ['Hund\nKatze\nMaus\n', /^Das ist ein Text, in dem keine Spalten zu erkennen sind\. Übertrage/],
    ['Liebe Leute,\nheute lernen wir, wie das geht; und zwar\nOrdnung zu halten.\n', /keine Spalten/],
  ]
  for (const [text, message] of cases) t.match(describe(text) ?? '', message, text.slice(0, 60))
  t.match(describe('DNS – übersetzt Namen\nNTP – stell\u00fc', false) ?? '', /„–“/)
  t.match(describeForeignText(Buffer.from('Hund::dog\nKatze::cat\n', 'utf16le'), true)?.message ?? '', /„::“/)
})

t.test('a text with a separator in most lines stays a table', async (t) => {
  for (const table of [
    '<b>;fett\n<i>;kursiv\n',
    'Was ist - [x]?;eine Aufgabe\nWas ist ::?;ein Pseudoelement\n## a;b\n',
    'Frage;Antwort\n"# Liste\n\n- [x] ja\n- [ ] nein\n";"zwei\nZeilen"\n"- a\n- b";b\n',
    'Port 22: wozu?\tSSH - Secure Shell\nPort 53: wozu?\tDNS - Namen\n',
    '{"a":1};ein Objekt\n[1,2];eine Liste\n',
    '[1,2,3],Liste\n{"a":1},Objekt\n',
    '{"a":1},{"b":2}\n',
    'Hund, dog\nKatze, cat\n',
    'der Hund - m, dog\ndie Katze - f, cat\n',
    'a|b\nc|d\n',
    'sep=;\nFrage\n',
    '#separator:Comma,,\nHund\n',
    'Frage,Antwort\na;b;c;d\n',
    'id;Frage;Antwort\n1\n2\n3\n',
    '"nicht geschlossen;x\n',
    '',
    '\n\n',
  ]) {
    t.equal(describe(table), undefined, table)
  }
})
