import { stringify } from 'csv-stringify/sync'
import t from 'tap'
import { decodeTable, looksLikeText } from '../../../src/domain/table/decode-table.js'
import { readTable, type TableDeck, type TableOptions } from '../../../src/domain/table/read-table.js'
import { guessSeparator, splitRecords } from '../../../src/domain/table/split-records.js'
import { type ColumnChoice, layoutOf, type TableDescription } from '../../../src/domain/table-layout.js'
import fc, { runs } from '../../support/property.js'

function read(text: string, options: Partial<TableOptions> = {}) {
  const faults: string[] = []
  const warnings: string[] = []
  const { decks, table } = readTable(text, {
    file: 'a.csv',
    defaultDeck: 'a',
    deck: undefined,
    level: undefined,
    levels: [],
    maxLength: 100,
    fault: (line, message) => faults.push(`${line}: ${message}`),
    warn: (line, message) => warnings.push(`${line}: ${message}`),
    count: () => {},
    ...options,
  })
  return { decks, table, cards: cardsOf(decks), faults, warnings }
}
const cardsOf = (decks: TableDeck[]) =>
  decks.flatMap(({ name, cards }) =>
    cards.map(({ question, answer, level, line }) => `${line} ${name}/${question}/${answer}/${level}`),
  )

t.test('wrong answers make a choice, and an explanation becomes the answer of the card', async (t) => {
  const optionsOf = (text: string) =>
    read(text).decks[0]?.cards.map(({ answer, options = [] }) => [
      answer,
      ...options.map(({ text, correct }) => `${correct ? '+' : '-'}${text}`),
    ])
  const headings = 'Frage;Antwort;Falsch 1;Falsch 2;Erklärung\n'
  t.same(optionsOf(`${headings}Wann?;72 Stunden;24 Stunden;'- 7 Tage;Art. 33\n`), [
    ['Art. 33', '+72 Stunden', '-24 Stunden', '-- 7 Tage'],
  ])
  t.same(optionsOf(`${headings}Wann?;72 Stunden;24 Stunden;;\n`), [['72 Stunden', '-24 Stunden']])
  t.same(optionsOf(`${headings}Wann?;72 Stunden;;;Art. 33\n`), [['72 Stunden\n\nArt. 33']])
  t.same(optionsOf('Question,Answer,Wrong,Explanation\nWhen?,72 h,24 h,GDPR\n'), [['GDPR', '+72 h', '-24 h']])
  t.same(read('Begriff;Erklärung;Falsch\na;b;c\n').decks[0]?.cards[0]?.answer, 'b', 'the only answer')
  t.match(read(`${headings}a;;c;d;e\n`).faults, ['2: Die Antwort ist leer'])
})

t.test('finds columns by heading or by position', async (t) => {
  t.same(read('Antwort;Notiz;Frage;Level\nb;x;a;leicht\n').cards, ['2 a/a/b/leicht'])
  t.same(read('question,answer,deck,id\na,b, X :: Y,7\n').decks[0]?.cards[0]?.identity, { by: 'id', id: '7' })
  t.same(read('question,answer,deck,id\na,b, X :: Y,7\n').cards, ['2 X::Y/a/b/import'])
  t.same(read('Vorderseite;Rückseite\n"a;""b""\nc";d').cards, ['2 a/a;"b"\nc/d/import'])
  t.same(read('Frage;Foo;Antwort\na;x;b').warnings, [
    '1: Nicht übernommen: „Foo“',
    '1: Ohne die Spalte „Id“ wird eine Karte an ihrer Frage wiedererkannt',
  ])
})

t.test('asks what the columns are if the headings do not say it', async (t) => {
  for (const text of [
    'Hund;dog;der;die Hunde\nKatze;cat;die;die Katzen',
    'Nr;Stichpunkt;Inhalt\n1;a;b',
    'Frage;Stufe 1;Stufe 2\na;b;c',
  ]) {
    const { decks, faults, table } = read(text)
    t.same([decks, faults, table?.isUnclear], [[], [], true], text)
  }
  t.same(read('Hund;dog;der\nKatze;cat;die\nMaus;mouse;die\nElch;elk;der').table, {
    separator: ';',
    hasHeadings: false,
    isUnclear: true,
    columns: [
      { heading: null, examples: ['Hund', 'Katze', 'Maus'], role: null },
      { heading: null, examples: ['dog', 'cat', 'mouse'], role: null },
      { heading: null, examples: ['der', 'die', 'die'], role: null },
    ],
  })
  t.same(read('a;b;\nc;d;').cards, ['1 a/a/b/import', '2 a/c/d/import'], 'an empty column is no column')
  t.match(read('allein\nzu zweit').faults, [/^1: Die Tabelle hat nur eine Spalte/])
})

t.test('reads the columns that a person has chosen', async (t) => {
  const text = 'Deutsch;Englisch;Artikel;Kapitel\nHund;dog;der;Tiere\nBaum;tree;der;Pflanzen\n'
  const choose = (columns: ColumnChoice) => read(text, { choice: { columns } })
  const chosen = choose({ columns: ['question', 'answer', null, 'deck'], hasHeadings: true })
  t.same(chosen.cards, ['2 Tiere/Hund/dog/import', '3 Pflanzen/Baum/tree/import'])
  t.equal(chosen.warnings[0], '1: Nicht übernommen: „Artikel“')
  t.equal(choose({ columns: ['answer', 'question'], hasHeadings: false }).cards[0], '1 a/Englisch/Deutsch/import')
  t.match(choose({ columns: ['question', 'answer', 'wrong', 'wrong'], hasHeadings: true }).decks[0]?.cards[0], {
    options: [{ text: 'der' }, { text: 'Tiere' }],
  })
  const quiz = read('Hauptstadt?;Rom;Rom;Bonn\nFluss?;Rhein;Elbe;Main\n', {
    choice: { columns: { columns: ['question', 'answer', 'option', 'option'], hasHeadings: false } },
  })
  t.match(quiz.decks[0]?.cards, [
    { answer: 'Rom', options: [{ text: 'Bonn', correct: false }] },
    { answer: 'Rhein', options: [{ text: 'Elbe' }, { text: 'Main' }] },
  ])
  const comma = { separator: ',', columns: { columns: ['question', 'answer'] as const } }
  t.same(read('a;b,c', { choice: comma }).cards, ['1 a/a;b/c/import'])

  const remembered = layoutOf(chosen.table as TableDescription)
  t.same(remembered, {
    separator: ';',
    headings: ['Deutsch', 'Englisch', 'Artikel', 'Kapitel'],
    columns: ['question', 'answer', null, 'deck'],
  })
  t.same(read(text, { choice: { remembered } }).cards, chosen.cards)
  t.equal(read(text.replace('Artikel', 'Genus'), { choice: { remembered } }).table?.isUnclear, true, 'other headings')
})

t.test('reads the questions with options of a quiz program', async (t) => {
  const optionsOf = (text: string) =>
    read(text).decks[0]?.cards.map(({ answer, options = [] }) => [
      answer,
      ...options.map(({ text, correct }) => `${correct ? '+' : '-'}${text}`),
    ])
  const kahoot = 'Question;Answer 1;Answer 2;Answer 3;Answer 4;Time limit;Correct answer(s)\n'
  t.same(optionsOf(`${kahoot}1+1;eins;zwei;drei;;20;2\n`), [['zwei', '-eins', '-drei']])
  t.same(optionsOf(`${kahoot}Prim?;eins;zwei;drei;vier;20;2,3\n`), [
    ['- zwei\n- drei', '+zwei', '+drei', '-eins', '-vier'],
  ])
  const letters = 'Frage;Antwort A;Antwort B;Antwort C;Lösung\n'
  for (const right of ['B', 'b)', '2', 'grün'])
    t.same(optionsOf(`${letters}Wald?;rot;grün;blau;${right}\n`), [['grün', '-rot', '-blau']], right)
  t.same(optionsOf('Frage,A,B,Richtig,Erklärung\nWald?,rot,grün,B,Blätter\n'), [['Blätter', '+grün', '-rot']])
  const answers = 'question,optionA,option_b,answer\n'
  t.same(optionsOf(`${answers}Longest?,Foot,Inch,Mile\nShortest?,Foot,Inch,B`), [
    ['Mile', '-Foot', '-Inch'],
    ['Inch', '-Foot'],
  ])
  t.equal(read(`${answers}Longest?,Foot,Inch,B`).table?.columns[3]?.role, 'correct', 'a choice of these roles works')
  t.same(read(`${letters}Wald?;rot;grün;;C\nSee?;a;b;c;\n`).faults, [
    '2: Die richtige Antwort „C“ ist keine der Möglichkeiten',
    '3: Die richtige Antwort fehlt',
  ])
})

t.test('takes a number for the text or the place of an option as the other rows do', async (t) => {
  const read1 = (rows: string) => read(`Frage;Antwort 1;Antwort 2;Antwort 3;Lösung\n${rows}`)
  const answers = (rows: string) => read1(rows).decks[0]?.cards.map(({ answer }) => answer)
  t.same(answers('2+2?;3;4;2;2\nWald?;rot;grün;blau;2\n'), ['4', 'grün'], 'places')
  t.same(answers('2+2?;4;3;2;4\n1+1?;3;2;1;2\n'), ['4', '2'], 'texts')
  t.same(answers('1+1?;3;2;4;2\n'), ['2'], 'both mean the same')
  t.same(answers('Primzahlen?;2;3;4;1, 2\nWald?;rot;grün;blau;B\n'), ['- 2\n- 3', 'grün'])
  t.same(read1('2+2?;3;4;2;2\nErster?;b;a;c;a\n').faults, [
    '2: „2“ kann die Nummer oder der Text einer Möglichkeit sein; nenne sie mit ihrem Buchstaben',
    '3: „a“ kann der Buchstabe oder der Text einer Möglichkeit sein; nenne sie mit ihrer Nummer',
  ])
  t.same(read1('Wald?;rot;grün;blau;0\n').faults, [
    '2: Die richtige Antwort „0“ ist keine der Möglichkeiten; gezählt wird ab 1',
  ])
  const another = read('question,optionA,optionB,answer\nLongest?,Foot,Inch,Mile\nContinents?,4,5,7\n')
  t.same(
    another.decks[0]?.cards.map(({ answer }) => answer),
    ['Mile', '7'],
  )
  t.match(read('question,optionA,optionB,answer\nA?,x,y,0\nB?,x,y,1\n').faults, [/^2: .*„0“ ist keine/])
})

t.test('recognises headings with and without umlauts, and names of languages', async (t) => {
  for (const headings of [
    'BEGRIFF;UEBERSETZUNG',
    'Begriff;Übersetzung',
    'Vorderseite;Rueckseite',
    'Deutsch;Englisch',
  ]) {
    t.same(read(`${headings}\na;b`).cards, ['2 a/a/b/import'], headings)
  }
  t.same(read('Frage;Irgendwas\na;b').cards, ['2 a/a/b/import'], 'one known heading of two columns')
  t.same(read('Irgendwas;Frage\nb;a').cards, ['2 a/a/b/import'])
  for (const headings of ['Fragen;Antworten', 'terms;definitions', 'Vokabeln;Übersetzungen']) {
    t.same(read(`${headings}\na;b`).cards, ['2 a/a/b/import'], headings)
  }
  t.same(read('Questions,Choice A,Choice B,Answer\n1+1?,2,3,A').decks[0]?.cards[0]?.answer, '2')
  t.same(read('Deutsch;Haus\na;b').cards[0], '1 a/Deutsch/Haus/import', 'one name of a language is no heading')
  t.same(read('word,examples\na,b').cards, ['2 a/a/b/import'], 'one known word of a pair')
  t.same(read(';Deutsch;Uebersetzung\n;a;b').cards, ['2 a/a/b/import'], 'an empty first column')
  t.same(read(';a;b\n;c;d').cards, ['1 a/a/b/import', '2 a/c/d/import'])
  const quiz = read('id,question,options,explanation,correct_answer\n1,a,x,because,b').decks[0]?.cards[0]
  t.match(quiz, { question: 'a', answer: 'b' }, 'an explanation is no answer beside one')
  t.match(read('Lied;Strophe\na;b').warnings[0], '1: Ohne bekannte Überschriften ist auch die erste Zeile eine Karte')
})

t.test('warns if a row with one known word counts as headings', async (t) => {
  const { cards, warnings } = read('Wort;mot\nHaus;maison')
  t.same(cards, ['2 a/Haus/maison/import'])
  t.equal(warnings[0], '1: „Wort“ und „mot“ gelten als Überschriften, nicht als Karte')
  t.notMatch(read('Wort;Bedeutung\na;b').warnings, [/gelten als/])
  for (const row of ['Frage;question', 'Aufgabe;Vokabel', 'Antwort;answer', 'fragen;to ask']) {
    t.equal(read(`${row}\nHaus;maison`).decks[0]?.cards.length, row === 'fragen;to ask' ? 1 : 2, row)
  }
})

t.test('ignores what a program writes behind a heading', async (t) => {
  const headings =
    'Question - max 120 characters,Answer 1 - max 75,Answer 2 (optional),Time limit (sec) – 5,Correct answer(s)'
  const { decks, table } = read(`${headings} - choose one\n1+1?,2,3,20,1`)
  t.match(decks[0]?.cards, [{ question: '1+1?', answer: '2', options: [{ text: '3', correct: false }] }])
  t.same(
    table?.columns.map(({ role }) => role),
    ['question', 'option', 'option', null, 'correct'],
  )
  t.equal(read('Deutsch - Englisch;Haus\na;b').cards.length, 2, 'other words belong to the heading')
  t.equal(read('Frage;Falsche Antwort (0);Richtige Antwort (1);1\na;b;c;1').table?.isUnclear, true)
})

t.test('reads rows that a spreadsheet has quoted as a whole', async (t) => {
  const saved =
    'Frage|Antwort\n"Zeige alles, auch Verstecktes|ls -a"\nZeige den Ordner|pwd\n"Gib ""a, b"" aus|echo a, b"\n'
  t.same(read(saved), {
    ...read(saved),
    faults: [],
    cards: [
      '2 a/Zeige alles, auch Verstecktes/ls -a/import',
      '3 a/Zeige den Ordner/pwd/import',
      '4 a/Gib "a, b" aus/echo a, b/import',
    ],
  })
  t.same(read('"schnell, rasch;fast, quick"\n"langsam, träge;slow"\n').cards, [
    '1 a/schnell, rasch/fast, quick/import',
    '2 a/langsam, träge/slow/import',
  ])
  t.match(
    read('"schnell, rasch"\n"langsam, träge"\n').faults,
    [/^1: Die Tabelle hat nur eine Spalte/],
    'no separator beside the comma',
  )
  t.same(read('"Tiere; Teil 1, Woche 2"\nHund;dog\nKatze;cat\n').cards.length, 2, 'one such row is a title')
})

t.test('warns once of HTML in the cells of a table', async (t) => {
  const { cards, warnings } = read('a\tb<br>c\nd\t<b>e</b>\n')
  t.same(cards, ['1 a/a/b<br>c/import', '2 a/d/<b>e</b>/import'])
  t.match(
    warnings.filter((warning) => warning.includes('HTML')),
    [/^1: In den Zellen steht HTML wie „<br>“; es bleibt als Text stehen\. .* „#html:true“ ist$/],
  )
  for (const text of ['#html:true\na\tb<br>c\n', 'Was macht `<br>`?\tein `</b>`\n', 'a < b\tc<T>\n']) {
    t.notMatch(read(text).warnings, [/HTML/], text)
  }
})

t.test('a comment above a table is no header of Anki', async (t) => {
  t.equal(read('# Quelle: Buch, Seite 3\nHund;dog;der\nKatze;cat;die').table?.isUnclear, true)
  t.same(read('# Stand: Mai\nbegriff;uebersetzung\na;b').cards, ['3 a/a/b/import'])
})

t.test('the separator is the one that gives most lines the same number of columns', async (t) => {
  t.same(read('schnell, rasch;fast, quick').cards, ['1 a/schnell, rasch/fast, quick/import'])
  t.same(read('Was ist 1;2?,Liste\nWas ist 3?,Zahl\n').cards[0], '1 a/Was ist 1;2?/Liste/import')
  t.same(read('a|b, c\nd|e\n').cards, ['1 a/a/b, c/import', '2 a/d/e/import'])
  t.same(read('| Frage | Antwort |\n|---|:---:|\n| a | b |\n').cards, ['3 a/a/b/import'], 'a table in Markdown')
})

t.test('reads quoted fields that follow a space', async (t) => {
  t.same(read('"Was, wer?", "a, b"\n"c", d "e"\n').cards, ['1 a/Was, wer?/a, b/import', '2 a/c/d "e"/import'])
  t.same(read('a, "b" c\n').cards, ['1 a/a/"b" c/import'], 'not entirely quoted')
})

t.test('skips a title above the table', async (t) => {
  const titled = read('Vokabeln Klasse 7\n\nFrage;Antwort\na;b\n')
  t.same(
    [titled.cards, titled.warnings[0]],
    [['4 a/a/b/import'], '1: Die Zeile über der Tabelle wird nicht übernommen'],
  )
  t.same(read('Vokabeln Klasse 7;;\nFrage;Antwort;Level\na;b;l\n').cards, ['3 a/a/b/l'], 'saved by a spreadsheet')
  t.same(read('Vokabeln\na;b\nc;d').cards, ['2 a/a/b/import', '3 a/c/d/import'])
  t.same(read('a;\nc;d').faults, ['1: Die Antwort ist leer'], 'a row without an answer is no title')
})

t.test('warns of a column of decks that is probably another one', async (t) => {
  const rows = Array.from({ length: 8 }, (_, at) => `f${at};a;d${at % 4}\n`).join('')
  t.match(read(`Frage;Antwort;Deck\n${rows}`).warnings.at(-1), /^1: 8 Karten verteilen sich auf 4 Decks/)
  t.notMatch(read(`Frage;Antwort;Deck\n${rows.replaceAll('d3', 'd2')}`).warnings.at(-1), /verteilen/)
})

t.test("Anki's text export that a spreadsheet has saved again", async (t) => {
  const text = '#separator:Comma,,\n#html:true,,\n#deck:Tiere,,\n<b>Hund</b>,dog,\n'
  t.same(read(text).cards, ['4 Tiere/**Hund**/dog/import'])
})

t.test('takes the separator from a first line for Excel', async (t) => {
  t.same(read('sep=;\nFrage;Antwort\na, b;c, d, e').cards, ['3 a/a, b/c, d, e/import'])
  t.same(read('SEP=|\na;b|c').cards, ['2 a/a;b/c/import'])
  t.same(read('"sep=,"\na;b,c').cards, ['2 a/a;b/c/import'])
  t.same(read('sep=\t\na;b\tc').cards, ['2 a/a;b/c/import'])
  t.same(read('sep=;').faults, ['1: Die Tabelle ist leer'])
  t.same(read('sep;Trenner\n').cards, ['1 a/sep/Trenner/import'])
})

t.test('guesses the separator of a table whose texts contain other separators', async (t) => {
  const question = 'Was sind TCP, UDP, IP?'
  for (const separator of ['\t', ';']) {
    const row = `${question}${separator}Protokolle, kurz, Regeln`
    t.same(read(row).cards, [`1 a/${question}/Protokolle, kurz, Regeln/import`])
    t.same(read(`${row}\nb${separator}c\n`).cards.at(-1), '2 a/b/c/import')
    t.same(read(`"Was\n(kurz)?"${separator}b\nx${separator}"y, z"\n`).cards, [
      '1 a/Was\n(kurz)?/b/import',
      '3 a/x/y, z/import',
    ])
  }
  t.same(read('a, b\tc\nd, e\tf\t').cards, ['1 a/a, b/c/import', '2 a/d, e/f/import'], 'rows of other lengths')
  t.same(read('a; b; c,d\ne;,f\n').cards, ['1 a/a; b; c/d/import', '2 a/e;/f/import'])
  t.same(read('Frage,Antwort\na;b;c;d\n').faults, ['2: Die Antwort ist leer'], 'no separator in each record')
  t.same(
    read('TCP, UDP;"Protokolle\n, kurz"\n').cards,
    ['1 a/TCP, UDP/Protokolle\n, kurz/import'],
    'a comma in each line',
  )
})

t.test('recognises the usual pairs of headings', async (t) => {
  const pairs = ['Begriff;Definition', 'Vorderseite;Rückseite', 'Front;Back', 'Term;Definition', 'Wort;Übersetzung']
  for (const headings of [...pairs, 'Vokabel;Bedeutung', 'Aufgabe;Lösung', 'FRAGE:;Antwort *', 'Abkürzung;Erklärung']) {
    const { cards, faults } = read(`${headings}\na;b`)
    t.same([cards, faults], [['2 a/a/b/import'], []], headings)
  }
  t.same(read('Definition;Begriff\nb;a').cards, ['2 a/a/b/import'])
  t.same(
    read('Wort;word\nHaus;house').cards,
    ['1 a/Wort/word/import', '2 a/Haus/house/import'],
    'without a pair there is no heading',
  )
  t.same(read('Frage;Begriff;Antwort\na;x;b').cards, ['2 a/a/b/import'])
  t.same(read('Begriff;Wort;Definition\na;x;b').warnings[0], '1: Nicht übernommen: „Wort“')
})

t.test('an exported table with an additional column', async (t) => {
  const rows = "Frage;Antwort;Level;Deck;Id;Notiz\na;'- b;l;D;i;x"
  t.same(read(rows).cards, ['2 D/a/- b/l'])
  t.same(read(rows.replace('Level;Deck', 'Deck;Level')).cards, ["2 l/a/'- b/D"])
})

t.test("Anki's text export", async (t) => {
  const text = [
    '#separator:tab',
    '#html:true',
    '#guid column:1',
    '#notetype column:2',
    '#deck column:3',
    '#tags column:6',
    'g(1\tBasis\tA::B\t<b>x</b> &lt;\t"y<br>z[sound:a.mp3]"\tt1 marked',
  ].join('\n')
  const { decks, cards, warnings } = read(text, { levels: ['t1'] })
  t.same(cards, ['7 A::B/**x** </y  \nz[Ton: a.mp3]/t1'])
  t.same(decks[0]?.cards[0]?.identity, { by: 'note', guid: 'g(1', ord: 0 })
  t.same(warnings, ['7: Ein Ton oder Film wird nicht übernommen; sein Name steht im Text'])
  t.same(read('#separator:Semicolon\n#columns:Wort;Bedeutung;Extra\n#deck:D\n#tags:t\na;b;c').cards, ['5 D/a/b/t'])
  t.same(read('#kein Kopf;b\nc;d').cards, ['1 a/#kein Kopf/b/import', '2 a/c/d/import'])
})

t.test("a note with gaps in Anki's text export is left out with a warning", async (t) => {
  const text = '#separator:tab\n#html:true\n{{c1::Bonn}} liegt am {{c2::Rhein::Fluss}}\tmehr\nWer?\tich'
  const { cards, warnings } = read(text)
  t.same(cards, ['4 a/Wer?/ich/import'])
  t.match(warnings.at(-1), /^3: Eine Notiz mit Lücken wird nicht übernommen/)
  t.same(read('Frage;Antwort\nWas ist {{c1::x}}?;Eine Lücke').cards, ['2 a/Was ist {{c1::x}}?/Eine Lücke/import'])
})

t.test('a table with only malformed rows has that fault alone', async (t) => {
  t.same(read('Frage;Antwort\na;"offen').faults, ['2: Anführungszeichen nicht geschlossen'])
  t.same(read('a;"offen').faults, ['1: Anführungszeichen nicht geschlossen'])
})

t.test('deck and level have a maximum length in characters', async (t) => {
  const fault = ['2: Deck und Level dürfen höchstens 200 Zeichen haben']
  const row = (deck: string, level: string, tags = '') =>
    read(`Frage;Antwort;Deck;Level;Tags\na;b;${deck};${level};${tags}\n`)
  t.same(row('😀'.repeat(200), 'x'.repeat(200)).faults, [])
  t.same(row('x'.repeat(201), 'l').faults, fault)
  t.same(row('d', '😀'.repeat(201)).faults, fault)
  t.same(row('d', '', 'x'.repeat(2 ** 20)).faults, fault)
  t.same(read(`#deck:${'x'.repeat(201)}\na\tb\n`).faults, fault)
  const own = `Frage;Antwort;Level;Deck;Id\na;b;l;${'d'.repeat(201)};k`
  t.same(read(own).faults, [], 'texts that the folder allows are read back')
})

t.test('reports all faults with their lines', async (t) => {
  const text = [
    'Frage;Antwort',
    'a;"offen',
    'b;"zu" und mehr',
    ';c',
    'd;',
    'e;f;g',
    `${'x'.repeat(101)};y`,
    'gut;gut',
  ].join('\n')
  const { faults, cards } = read(text)
  t.same(faults, [
    '2: Anführungszeichen nicht geschlossen',
    '3: hinter dem schließenden Anführungszeichen steht noch Text',
    '4: Die Frage ist leer',
    '5: Die Antwort ist leer',
    '6: Die Zeile hat 3 statt 2 Felder',
    '7: Die Frage ist länger als 100 Zeichen',
  ])
  t.same(cards, ['8 a/gut/gut/import'])
  t.same(read('').faults, ['1: Die Tabelle ist leer'])
  t.same(read('Frage;Antwort\n\n').faults, ['1: Unter den Überschriften steht keine Karte'])
  t.same(read('Frage;Frage\na;b').faults, ['1: Die Spalte „Frage“ gibt es zweimal', '1: Die Spalte „Antwort“ fehlt'])
})

t.test('leaves out a row that repeats a question or an id, with a warning', async (t) => {
  t.same(read('a;b\na;b\n').warnings.at(-1), '2: Die Karte steht schon in Zeile 1')
  const other = read('a;b\na;c\n')
  t.same([other.faults, other.cards], [[], ['1 a/a/b/import']])
  t.equal(
    other.warnings.at(-1),
    '2: Die Frage steht schon in Zeile 1, mit einer anderen Antwort; diese Zeile bleibt weg',
  )
  t.same(read('Frage;Antwort;Id\na;b;1\nc;d;1').warnings, ['3: Die Id „1“ hat schon Zeile 2; diese Zeile bleibt weg'])
  t.equal(read('Frage;Antwort;Deck\na;b;X\na;c;Y').cards.length, 2)
})

t.test('warns of pictures; a given deck and level apply to all cards', async (t) => {
  t.same(read('a ![x](y.png) ![z](https://a/b.png);b').warnings.at(-1), '1: Das Bild „y.png“ ist nicht in der Tabelle')
  t.same(read('Frage;Antwort;Deck;Level\na;b;X;l', { deck: 'D', level: 'L' }).cards, ['2 D/a/b/L'])
})

t.test('reads cells of exported tables literally', async (t) => {
  t.same(read(`Frage;Antwort;Level;Deck;Id\n"'- a";"    b\n";l;D;i`).cards, ['2 D/- a/    b\n/l'])
})

t.test('detects the encoding of a table, and bytes that are not text', async (t) => {
  const decode = (bytes: Uint8Array) => decodeTable(bytes)
  t.same(decode(Buffer.from('\ufeffä\r\nb\rc')), { text: 'ä\nb\nc', encoding: 'UTF-8' })
  t.same(decode(Buffer.from('\ufeffä', 'utf16le')), { text: 'ä', encoding: 'UTF-16' })
  t.same(decode(Buffer.from([0x84, 0x80, 0xe4])), { text: '„€ä', encoding: 'Windows-1252' })
  t.same(decode(Buffer.from('a\nb\0')), { badLine: 2 })
  t.ok(looksLikeText(Buffer.from('ä;b\n')))
  t.ok(looksLikeText(Buffer.from('\ufeffä', 'utf16le')))
  t.notOk(looksLikeText(Buffer.from('SQLite format 3\0')))
})

t.test('property: reads what a spreadsheet writes', async (t) => {
  const cell = fc.string({ unit: fc.constantFrom('a', 'ä', '"', ';', ',', '\t', '\n', ' ', "'") })
  const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 6 })
  fc.assert(
    fc.property(table, fc.constantFrom(';', ',', '\t'), (rows, delimiter) => {
      const text = stringify(rows, { delimiter })
      const full = rows.filter((row) => row.some((field) => field.trim() !== ''))
      const records = [...splitRecords(text, delimiter)]
      return (
        JSON.stringify(records.map((record) => ('fields' in record ? record.fields : record))) === JSON.stringify(full)
      )
    }),
  )
  t.equal(guessSeparator('"a;b;c",d\n'), ',')
  t.equal(guessSeparator('a b;c'), ';')
})

t.test('property: guesses the separator of a table from a spreadsheet', async () => {
  const tables = (units: string[], most: number) => {
    const cell = fc.string({ unit: fc.constantFrom(...units), maxLength: 8 }).map((text) => `x${text}`)
    return fc
      .integer({ min: 2, max: most })
      .chain((columns) =>
        fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), { minLength: 1, maxLength: 30 }),
      )
  }
  const units = ['a', ' ', '"', '\n', ',']
  const guesses = (delimiter: string) => (rows: string[][]) =>
    guessSeparator(stringify(rows, { delimiter })) === delimiter
  fc.assert(fc.property(tables(units, 2), guesses(';')), { examples: [[[['x,', 'x\n,a']]]] })
  fc.assert(fc.property(tables(['a', ' ', '"', '\n'], 4), guesses(';')))
  fc.assert(fc.property(tables([...units, ';'], 4), guesses('\t')))
})

t.test('property: reports each line at most once', async (t) => {
  const text = fc.string({ unit: fc.constantFrom('a', '"', ';', '\n'), maxLength: 60 })
  fc.assert(
    fc.property(text, (source) => {
      const lines = [...splitRecords(source, ';')].map(({ line }) => line)
      return lines.every((line, index) => line > (lines[index - 1] ?? 0) && line <= source.split('\n').length)
    }),
    { numRuns: runs(300) },
  )
  const long = `${'"x\n'.repeat(50_000)}`
  t.equal([...splitRecords(long, ';')].length, 50_000)
})
