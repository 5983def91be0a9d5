import { readFileSync } from 'node:fs'
import t from 'tap'
import { FaultyContent } from '../../../../src/domain/content/refusals.js'
import { readUpload } from '../../../../src/services/content/upload/read.js'
import type { ReadOptions } from '../../../../src/services/content/upload/readers/options.js'
import { readFile } from '../../../../src/services/content/upload/readers/read-file.js'
import { gifOf } from '../../../support/pictures.js'
import { CLOZE_ID, packageOf, type TestPackage, writeUpload } from '../../../support/upload-packages.js'

const PICTURE = gifOf('netz')
const CONTENT: TestPackage = {
  notes: [
    {
      guid: 'a',
      fields: ['Was ist <b>DNS</b>?<img src="netz%20plan.gif">', 'Ein <i>Telefonbuch</i>'],
      tags: ' marked netz grundlagen ',
    },
    {
      guid: 'b',
      fields: ['{{c1::Eins}} und {{c2::zwei::Zahl}}', 'mehr'],
      mid: CLOZE_ID,
      cards: [{}, { ord: 1, type: 2, queue: -1 }],
    },
    { guid: 'c', fields: ['geborgt', 'ja [sound:a.mp3]'], cards: [{ did: 20, odid: 1 }] },
    { guid: 'd', fields: ['<img src="x.svg">[sound:b.mp3]', 'nichts'] },
    { guid: 'e', fields: ['{{c1::image-occlusion:rect:left=.1}}', ''], mid: CLOZE_ID },
  ],
}

async function read(t: Tap, bytes: Uint8Array, options: Partial<ReadOptions> = {}, reader = readFile) {
  const { file, workFolder } = writeUpload(t, bytes)
  return reader(file, {
    fileName: 'netz.apkg',
    defaultDeck: 'netz',
    workFolder,
    levels: ['grundlagen'],
    ...options,
  })
}
type Tap = Parameters<typeof writeUpload>[0]

t.test('all three formats contain the same cards', async (t) => {
  for (const format of ['legacy1', 'legacy2', 'latest'] as const) {
    const media = { 'netz plan.gif': PICTURE, 'x.svg': Buffer.from('<svg/>') }
    // The other tests read in this thread, which is faster.
    const incoming = await read(t, await packageOf(format, CONTENT, media), {}, (file, options) =>
      readUpload(file, options, { userId: null }),
    )
    const [picture] = incoming.pictures
    if (picture === undefined) return t.fail('the picture is missing')
    t.same(readFileSync(picture.path), PICTURE)
    t.match(picture, { extension: 'gif', size: PICTURE.length })
    const card = (guid: string, ord: number, question: string, answer: string, level = 'import') => ({
      identity: { by: 'note', guid, ord },
      question,
      answer,
      level,
      file: '',
      line: 0,
    })
    t.same(
      incoming.decks,
      [
        {
          name: 'Default',
          description: '',
          slug: null,
          sort_order: null,
          cards: [card('c', 0, 'geborgt', 'ja [Ton: a.mp3]')],
        },
        {
          name: 'Linux::Netz',
          description: '',
          slug: null,
          sort_order: null,
          cards: [
            card('a', 0, `Was ist **DNS**?![](media/${picture.sha}.gif)`, 'Ein _Telefonbuch_', 'grundlagen'),
            card('b', 0, '[…] und zwei', '**Eins** und zwei  \nmehr'),
            card('b', 1, 'Eins und [Zahl]', 'Eins und **zwei**  \nmehr'),
          ],
        },
      ],
      format,
    )
    t.same(
      incoming.warnings.map(({ file, line, message }) => `${file}:${line}: ${message}`),
      [
        'Linux::Netz:0: Die Karte „[Bild: x.svg][Ton: b.mp3]“ wird nicht übernommen: auf der Vorderseite steht nur, was fehlt (Ton, Video oder Bild)',
        'netz.apkg:0: Das Bild „x.svg“ ist weder PNG noch JPEG, GIF, WebP oder AVIF',
        'netz.apkg:0: Eine Karte hat einen Lernstand; er wird nicht übernommen',
        'netz.apkg:0: Eine Karte ist ausgesetzt; sie wird wie andere übernommen',
        'netz.apkg:0: Ein Ton oder Film fehlt; sein Name steht im Text',
        'netz.apkg:0: Eine Karte verdeckt Teile eines Bildes (Image Occlusion); sie wird nicht übernommen',
      ],
      format,
    )
    t.equal(incoming.warningsTotal, 6)
    t.match(incoming, { kind: 'anki', sheets: { length: 0 } })
  }
})

t.test('text hidden by styles does not appear in the question', async (t) => {
  const notes = [
    { fields: ['Was?<p class="zu">Das.</p>', 'Das.<p class="zu">Und mehr.</p>'] },
    { fields: ['<p class="zu">Nur zu</p>', 'ja'] },
  ]
  for (const format of ['legacy1', 'legacy2', 'latest'] as const) {
    const { decks } = await read(t, await packageOf(format, { notes }))
    t.same(
      decks.flatMap(({ cards }) => cards.map(({ question, answer }) => [question, answer])),
      [
        ['Was?', 'Das.\n\nUnd mehr.'],
        ['Nur zu', 'ja'],
      ],
      format,
    )
  }
})

t.test('a hint that the question hides appears on the back', async (t) => {
  const hint = 'Was?<button>Tipp</button><div id="hint" style="display:none">Denk an <b>Ports</b>.</div>'
  const { decks } = await read(t, await packageOf('legacy1', { notes: [{ fields: [hint, 'Das.'] }] }))
  const [card] = decks.flatMap(({ cards }) => cards)
  t.match(card?.question, /^Was\?\s*Tipp$/)
  t.equal(card?.answer, 'Das.\n\nDenk an **Ports**.')
})

t.test('content shown on click appears on the back', async (t) => {
  const hidden =
    'Das.<button>Mehr</button><div style="display:none">Und mehr.<img id="gross"></div><img srcset="a.png 2x">'
  const { decks, warnings } = await read(t, await packageOf('legacy1', { notes: [{ fields: ['Was?', hidden] }] }))
  t.match(decks, [{ cards: [{ question: 'Was?', answer: /^Das\.\s*Mehr\s+Und mehr\.\s+\[Bild: ohne Namen\]$/ }] }])
  t.same(warnings, [], 'a picture without an address is none')
})

t.test('reports many cards omitted for one reason in one warning', async (t) => {
  const notes = ['eins', 'zwei <b>drei</b>', 'vier', 'fünf'].map((back) => ({ fields: [' ', back] }))
  const { warnings, warningsTotal } = await read(t, await packageOf('legacy1', { notes }))
  t.match(warnings, [
    {
      line: 0,
      message: '4 Karten werden nicht übernommen: die Vorderseite ist leer („eins“, „zwei drei“, „vier“ und 1 weitere)',
    },
  ])
  t.equal(warningsTotal, 1)
})

t.test('skips a card with an empty side', async (t) => {
  const sides = [
    ['[sound:1.mp3]', 'eins'],
    ['eins', '<img src="fehlt.png">'],
    [' ', 'eins'],
  ]
  const { decks, warnings } = await read(t, await packageOf('legacy1', { notes: sides.map((fields) => ({ fields })) }))
  t.same(decks, [])
  t.same(
    warnings.flatMap(({ message }) => message.match(/ wird nicht übernommen: (.*)/)?.[1] ?? []),
    [
      'auf der Vorderseite steht nur, was fehlt (Ton, Video oder Bild)',
      'auf der Rückseite steht nur, was fehlt (Ton, Video oder Bild)',
      'die Vorderseite ist leer',
    ],
  )
})

t.test('removes a front that the back template repeats', async (t) => {
  const tmpls = [{ name: 'Karte', ord: 0, qfmt: '<h2>{{A}}</h2>', afmt: '<h2>{{A}}</h2><hr>{{B}}' }]
  const models = { 7: { name: 'Alt', type: 0, flds: [{ name: 'A' }, { name: 'B' }], tmpls } }
  const { decks } = await read(
    t,
    await packageOf('legacy1', { models, notes: [{ fields: ['Frage', 'Antwort'], mid: 7 }] }),
  )
  t.match(decks, [{ cards: [{ question: '**Frage**', answer: 'Antwort' }] }])
})

t.test('keeps text that only the back shows above the answer line', async (t) => {
  const models = {
    1: {
      name: 'Titel',
      type: 0,
      flds: ['Title', 'Question', 'Answer'].map((name, ord) => ({ name, ord })),
      tmpls: [
        {
          name: 'Karte 1',
          ord: 0,
          qfmt: '<p>{{Question}}</p>',
          afmt: '<p>{{Title}}</p><p>{{Question}}</p><hr id=answer>{{Answer}}',
        },
      ],
      css: '',
    },
    2: {
      name: 'Lücke',
      type: 1,
      flds: ['Text', 'Extra'].map((name, ord) => ({ name, ord })),
      tmpls: [{ name: 'Lücke', ord: 0, qfmt: '{{cloze:Text}}', afmt: '{{cloze:Text}}<hr id=answer>{{Extra}}' }],
      css: '',
    },
  }
  const { decks } = await read(
    t,
    await packageOf('legacy2', {
      models,
      notes: [
        { guid: 'a', fields: ['Listen', 'Was ist O(n)?', 'linear'] },
        { guid: 'b', fields: ['', 'Was ist O(1)?', 'konstant'] },
        { guid: 'c', fields: ['Port von {{c1::SSH}}', 'verschlüsselt'], mid: 2 },
      ],
    }),
  )
  t.same(
    decks.flatMap(({ cards }) => cards).map(({ question, answer }) => [question, answer]),
    [
      ['Was ist O(n)?', 'Listen\n\n---\n\nlinear'],
      ['Was ist O(1)?', 'konstant'],
      ['Port von […]', 'Port von **SSH**\n\n---\n\nverschlüsselt'],
    ],
  )
})

t.test('level and deck can be given', async (t) => {
  const { decks } = await read(t, await packageOf('legacy1', CONTENT), { level: 'neu', deck: 'Alles' })
  t.same(
    decks.map(({ name, cards }) => [name, cards.map(({ level }) => level)]),
    [['Alles', ['neu', 'neu', 'neu', 'neu']]],
  )
})

t.test('ignores the note that asks for an update', async (t) => {
  const fields = ['Please update to the latest Anki version, then import again.', '']
  t.match(await read(t, await packageOf('legacy1', { notes: [{ fields }] })), {
    decks: { length: 0 },
    warningsTotal: 1,
  })
})

t.test('reports all faults of a damaged package', async (t) => {
  const content: TestPackage = {
    notes: [
      { guid: 'a', fields: ['eins'] },
      { guid: 'b', fields: ['a', 'b'], mid: 77 },
      { guid: 'c', fields: ['a', 'b'], cards: [{ did: 99 }] },
      { guid: 'd', fields: ['a', 'b'] },
    ],
    sql: `delete from notes where guid = 'd'`,
  }
  const error = await read(t, await packageOf('legacy2', content)).then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!(error instanceof FaultyContent)) return t.fail('no faults')
  t.same(
    error.faults.map(({ message }) => message.replace(/\d{13}/, '…')),
    [
      'Notiz c: ihr Deck fehlt im Paket',
      'Notiz …: die Karte hat keine Notiz',
      'Notiz a hat 1 statt 2 Felder',
      'Notiz b: ihr Notiztyp fehlt im Paket',
    ],
  )
})

t.test('summaries are kept even with many warnings', async (t) => {
  const notes = Array.from({ length: 300 }, (_, at) => ({ fields: [`a${at}`, `<img src="${at}.svg">`] }))
  const learned = { fields: ['b', 'c'], cards: [{ type: 2, queue: -1 }] }
  const content = { notes: [...notes, { fields: ['a', '[sound:a.mp3] b'] }, learned] }
  const { warnings, warningsTotal } = await read(t, await packageOf('legacy1', content))
  t.equal(warnings.length, 15)
  t.equal(warningsTotal, 304)
  const more = warnings.find(({ more }) => more !== undefined)
  t.match(more, { message: /^… und 290 weitere dieser Art: Das Bild „0\.svg“ /, more: 290 })
  t.match(
    warnings.map(({ message }) => message).filter((message) => !message.includes('Das Bild')),
    [
      /^300 Karten werden nicht übernommen: auf der Rückseite steht nur, was fehlt/,
      'Eine Karte hat einen Lernstand; er wird nicht übernommen',
      'Eine Karte ist ausgesetzt; sie wird wie andere übernommen',
      'Ein Ton oder Film fehlt; sein Name steht im Text',
    ],
  )
})

t.test('a NUL character in a field is removed with a warning, and the text after it stays', async (t) => {
  const sql = `
    update notes set flds = cast(x'61' || x'00' || x'62' || x'1f' || x'63' || x'00' as text) where guid = 'a';
    update notes set tags = cast(' x' || x'00' || 'y ' as text) where guid = 'a';
    update notes set guid = cast('c' || x'00' || 'd' as text) where guid = 'c'`
  const notes = [
    { guid: 'a', fields: ['', ''] },
    { guid: 'c', fields: ['Frage', 'Antwort'] },
  ]
  for (const format of ['legacy1', 'latest'] as const) {
    const { decks, warnings } = await read(t, await packageOf(format, { notes, sql }))
    t.match(decks, [{ cards: [{ question: 'ab', answer: 'c', level: 'x' }] }])
    t.equal(decks[0]?.cards.length, 1)
    const messages = warnings.map(({ message }) => message)
    t.match(messages, [/guid/, /NUL-Zeichen/])
  }
})
