import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import t from 'tap'
import { parseTemplate } from '../../../../src/domain/content/format/parse-template.js'
import { readContent } from '../../../../src/services/content/folder/read.js'
import { ROOT } from '../../../support/constants.js'
import { createCheatsheet } from '../../../support/factories.js'
import { startService } from '../../../support/service.js'

const folder = t.testdir({ assignments: {} })
const service = await startService(t, { config: { contentDir: folder } })

async function write(name: string, head: string, body = ''): Promise<void> {
  await mkdir(path.join(folder, 'assignments'), { recursive: true })
  await writeFile(path.join(folder, 'assignments', name), `---\n${head}\n---\n${body}`)
}

t.test('a template contains the fields of an assignment and creates none', async (t) => {
  const admin = await service.admin()
  const sheet = await createCheatsheet(service.db)
  await write(
    'brand.md',
    `title: '"Brand" & =1+1'\nevery_months: 12\nwindow_end: 03-31\nparts:\n  - { kind: sheet, slug: ${sheet.slug} }\n  - { kind: personal, title: Rundgang }`,
    '\nLesen, dann *üben*.\n',
  )
  await write('fehlt.md', 'title: Ohne Inhalt\nparts: [{ kind: test, slug: gibt-es-nicht }]')
  await write('kaputt.md', 'title: [')
  const { body } = await admin.get('/api/assignments/templates')
  t.strictSame(body.templates, [
    {
      title: '"Brand" & =1+1',
      description: 'Lesen, dann *üben*.',
      mandatory: false,
      ordered: false,
      retention_years: 2,
      parts: [
        { kind: 'sheet', slug: sheet.slug, title: sheet.title, share_percent: null },
        { kind: 'personal', slug: null, title: 'Rundgang', share_percent: null },
      ],
      due: { days_after_start: 30 },
      recurrence: { every_months: 12, window_end: '03-31', opens_days_before: 30 },
    },
  ])
  t.strictSame((await admin.get('/api/assignments')).body.assignments, [])
  const { parts, ...rest } = body.templates[0]
  const given = parts.map(({ kind, slug, title }: { kind: string; slug: string | null; title: string }) =>
    slug === null ? { kind, title } : { kind, slug },
  )
  const assignment = { ...rest, parts: given, audience: { user_ids: [admin.id] }, starts: '2026-12-01' }
  t.equal(
    (await admin.post('/api/assignments', assignment)).status,
    200,
    'with audience and start it becomes an assignment',
  )
})

t.test('a template names originals, not variants', async (t) => {
  const admin = await service.admin()
  const original = await createCheatsheet(service.db)
  const variant = await createCheatsheet(service.db)
  await service.db
    .insertInto('imported_cheatsheets')
    .values({ cheatsheet_id: variant.id, lang: 'en', translation_of: original.id })
    .execute()
  await write('variante.md', `title: Variante\nparts: [{ kind: sheet, slug: ${variant.slug} }]`)
  const { templates } = (await admin.get('/api/assignments/templates')).body
  t.notOk(templates.some(({ title }: { title: string }) => title === 'Variante'))

  const sheets = path.join(folder, 'cheatsheets')
  await mkdir(sheets, { recursive: true })
  await writeFile(path.join(sheets, 'eins.md'), '---\ntitle: Eins\n---\nText\n')
  await writeFile(path.join(sheets, 'one.md'), '---\ntitle: One\nlang: en\ntranslation_of: eins\n---\nText\n')
  await write('variante.md', 'title: Variante\nparts:\n  - { kind: sheet, slug: eins }\n  - { kind: sheet, slug: one }')
  const { faults } = await readContent(folder)
  t.match(
    faults.filter(({ file }) => file === 'assignments/variante.md'),
    [{ line: 5, message: /Der Teil „one“ ist eine Variante von „eins“; eine Vorlage nennt das Original/ }],
  )
  await rm(path.join(folder, 'assignments', 'variante.md'))
  await rm(sheets, { recursive: true })
})

t.test('files with the same path are one template with several assignments', async (t) => {
  const admin = await service.admin()
  const part = 'parts: [{ kind: personal, title: Rundgang }]'
  await write('weg-1.md', `title: Ankommen\npath: Einarbeitung\nstarts_days: 0\n${part}`)
  await write('weg-2.md', `title: Einleben\npath: Einarbeitung\nstarts_days: 10\nordered: true\ndue_days: 5\n${part}`)
  const { templates } = (await admin.get('/api/assignments/templates')).body
  t.match(
    templates.filter(({ assignments }: { assignments?: object[] }) => assignments !== undefined),
    [
      {
        title: 'Einarbeitung',
        assignments: [
          { title: 'Ankommen', starts: { days_after_joining: 0 }, ordered: false },
          { title: 'Einleben', starts: { days_after_joining: 10 }, ordered: true, due: { days_after_start: 5 } },
        ],
      },
    ],
  )
})

t.test('the check of the folder reports the faults of templates with their lines', async (t) => {
  const faultsOf = (head: string) => parseTemplate('a.md', Buffer.from(`---\n${head}\n---\n`)).faults
  const part = 'parts: [{ kind: sheet, slug: brand }]'
  for (const [head, line, message] of [
    ['title: A', 1, /parts/],
    [`title: A\nparts:\n  - { kind: video }`, 4, /kind/],
    [`title: ${'x'.repeat(201)}\n${part}`, 2, /title/],
    [`title: A\n${part}\ndue_days: 99999`, 2, /days_after_start/],
    [`title: A\n${part}\nevery_months: 0`, 2, /every_months/],
    [`title: A\n${part}\naudience: alle`, 4, /Unbekannter Schlüssel/],
    ['title: A\nparts: [{ kind: sheet }]', 2, /slug/],
  ] as const) {
    t.match(faultsOf(head), [{ file: 'a.md', line, message }], head)
  }
  const found = (await readContent(folder)).faults.map(({ file }) => file)
  t.strictSame(found, ['.', 'assignments/kaputt.md'])
  t.strictSame((await readContent(`${ROOT}content`)).faults, [], 'the shipped template has no faults')
})
