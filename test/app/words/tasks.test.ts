import t from 'tap'
import {
  addressOf,
  contentOf,
  dueText,
  endText,
  isOpenPart,
  type Part,
  partText,
  type Task,
} from '../../../web/src/pages/aufgaben/task-words.js'

const TODAY = '2026-12-19'
const part = (values: Partial<Part>): Part => ({
  kind: 'sheet',
  slug: 'brandschutz',
  lang: 'de',
  variants: [],
  title: 'Brandschutz',
  share_percent: null,
  state: 'open',
  locked: false,
  done_at: null,
  done_on: null,
  available: true,
  held_on: null,
  confirmed_by: null,
  ...values,
})
const assignment = { id: 4, title: 'Brandschutz', description: '', mandatory: true, responsible: 'Anna Keller' }

t.test('finds the content of a part in any language', async (t) => {
  const variants = [{ slug: 'fire', lang: 'en', title: 'Fire' }]
  const both = part({ variants })
  t.match(contentOf(both, 'fire'), { lang: 'en' })
  t.match(contentOf(both, 'brandschutz'), { lang: 'de' })
  t.equal(contentOf(both, 'git'), undefined)
  t.ok(isOpenPart(both, 'sheet', 'fire'))
  t.notOk(isOpenPart(both, 'deck', 'fire'))
  t.notOk(isOpenPart(part({ variants, state: 'done' }), 'sheet', 'fire'))
  const { variants: _, ...stored } = part({})
  t.equal(contentOf(stored as Part, 'git'), undefined, 'a copy that an older version has stored')
})

t.test('says until when a task is due', async (t) => {
  t.equal(dueText('2026-12-31', TODAY), 'bis 31. Dezember, noch 12 Tage')
  t.equal(dueText('2027-01-31', TODAY), 'bis 31. Januar 2027, noch 43 Tage')
  t.equal(dueText('2026-12-20', TODAY), 'bis morgen, 20. Dezember')
  t.equal(dueText(TODAY, TODAY), 'bis heute, 19. Dezember')
  t.equal(dueText('2026-12-18', TODAY), 'war bis 18. Dezember fällig (gestern)')
  t.equal(dueText('2025-12-31', TODAY), 'war bis 31. Dezember 2025 fällig (vor 12 Monaten)')
})

t.test('says who confirms a personal part', async (t) => {
  const personal = part({ kind: 'personal', slug: null })
  const textFor = (values: object) => partText(personal, { assignment: { ...assignment, ...values } }, TODAY)
  t.match(textFor({}), /bestätigt es Anna Keller oder die Leitung deines Teams\.$/)
  t.match(textFor({ mandatory: false }), /bestätigt es Anna Keller\.$/)
  t.match(textFor({ mandatory: false, responsible: null }), /bestätigt es die verantwortliche Person\.$/)
  const held = part({ kind: 'personal', state: 'done', done_on: '2026-12-05', confirmed_by: 'x\u202ey' })
  t.equal(partText(held, { assignment }, TODAY), 'war am 5. Dezember, bestätigt von \u2068x\u202ey\u2069')
})

t.test('a part whose content is gone has no address', async (t) => {
  t.equal(addressOf(part({}), 12, 0), 'spickzettel/brandschutz?aufgabe=12&teil=0')
  t.equal(addressOf(part({ kind: 'test', slug: 'a b' }), 12, 1), 'tests/a%20b?aufgabe=12')
  for (const gone of [part({ available: false }), part({ slug: null }), part({ kind: 'personal' })]) {
    t.equal(addressOf(gone, 12, 0), undefined)
  }
  t.match(partText(part({ available: false }), { assignment }, TODAY), /Frag bitte Anna Keller\.$/)
  t.equal(addressOf(part({ locked: true }), 12, 0), undefined)
  t.match(partText(part({ locked: true }), { assignment }, TODAY), /^Kommt, sobald/)
})

t.test('explains the end of a task', async (t) => {
  const text = (values: Partial<Task>) => endText({ reason: null, covered_until: null, ...values } as Task, TODAY)
  t.equal(text({ state: 'exempt', reason: 'Elternzeit' }), 'Du musst sie nicht erledigen. Grund: Elternzeit')
  t.equal(
    text({ state: 'recognised', covered_until: '2027-06-30' }),
    'Ein anderer Nachweis zählt dafür, bis 30. Juni 2027.',
  )
  t.equal(text({ state: 'missed', due: '2026-11-30' }), 'War bis 30. November fällig.')
  t.equal(text({ state: 'done', done_on: '2026-12-05' }), 'Erledigt am 5. Dezember.')
  t.match(text({ state: 'left' }), /gilt für dich nicht mehr/)
})
