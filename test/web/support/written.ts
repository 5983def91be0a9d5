import type { App } from './app.js'

export interface Written {
  source: number
  deck: string
  cards: number[]
}

export async function writeAll(app: App): Promise<Written> {
  const written = await writeSome(app)
  await writeTest(app)
  await writeTeam(app)
  await writeTasks(app)
  await writeAssignment(app)
  return written
}

export async function writeSome(app: App, name = 'Netzwerk', cards = 3): Promise<Written> {
  const { source } = await post<{ source: { id: number } }>(app, '/api/content/sources', { name })
  const { deck } = await post<{ deck: { slug: string } }>(app, '/api/content/decks', { source_id: source.id, name })
  const ids: number[] = []
  for (let at = 1; at <= cards; at++) {
    const { card } = await post<{ card: { id: number } }>(app, '/api/content/cards', {
      deck: deck.slug,
      question: `Was macht Schicht ${at}?`,
      answer: `Sie trägt **Schicht ${at + 1}**.`,
      level: 'grundlagen',
      client_id: `${name}-${at}`,
    })
    ids.push(card.id)
  }
  const sheet = { title: `${name} kompakt`, category: name, content_md: `# ${name}\n\n## Schichten\n\nSieben.\n` }
  await post(app, '/api/content/sheets', { source_id: source.id, ...sheet, client_id: `${name}-sheet` })
  return { source: source.id, deck: deck.slug, cards: ids }
}

export async function writeTest(app: App): Promise<void> {
  const { source } = await post<{ source: { id: number } }>(app, '/api/content/sources', { name: 'Prüfungen' })
  const pool = { source_id: source.id, name: 'Prüfungsfragen', tests_only: true }
  const { deck } = await post<{ deck: { slug: string } }>(app, '/api/content/decks', pool)
  const questions = [
    { question: 'Wie viele Schichten hat OSI?', answer: 'Sieben', options: wrong('Vier', 'Fünf') },
    { question: 'Was steht zuunterst?', answer: '1. Bits\n2. Rahmen\n3. Pakete', form: 'order' },
    { question: 'Ergänze den Port.', answer: 'SSH hört auf Port {{22|zweiundzwanzig}}.', form: 'gaps' },
  ]
  for (const [at, question] of questions.entries()) {
    await post(app, '/api/content/cards', { deck: deck.slug, client_id: `osi-${at}`, ...question })
  }
  const definition = {
    source_id: source.id,
    name: 'OSI, Grundlagen',
    description: 'Für alle im Betrieb',
    introduction: 'Nimm dir **Zeit**.',
    sections: [{ deck: deck.slug }],
  }
  await post(app, '/api/content/tests/osi', definition, 'PUT')
  await post(app, '/api/content/tests/osi/publish', {})
}

async function writeTeam(app: App): Promise<void> {
  const { team } = await post<{ team: { id: number } }>(app, '/api/teams', {
    name: 'Werkstatt Süd und Außenlager',
    external_group: 'cn=training-werkstatt,ou=gruppen,dc=firma,dc=example',
  })
  const display_name = 'Dr. Friederike Charlotte Schneider-Großmann'
  const created = await post<{ id: number }>(app, '/api/admin/users', {
    username: 'friederike.schneider-grossmann',
    display_name,
    password: 'vier-zufaellige-woerter',
  })
  const members = `/api/teams/${team.id}/members`
  await post(app, `${members}/1`, { role: 'lead' }, 'PUT')
  await post(app, `${members}/${created.id}`, { role: 'member' }, 'PUT')
}

async function writeTasks(app: App): Promise<void> {
  const task = {
    audience: { everybody: true },
    starts: '2026-01-01',
    due: '2099-12-31',
    recurrence: null,
    mandatory: true,
    retention_years: 2,
  }
  const sheet = { kind: 'sheet', slug: 'git-alltag' }
  await post(app, '/api/assignments', { ...task, title: 'Leitern und Tritte', parts: [sheet] })
  const parts = [sheet, { kind: 'personal', title: 'Rundgang' }]
  await post(app, '/api/assignments', { ...task, title: 'Unterweisung Brandschutz', description: 'Für alle.', parts })
  await post(app, '/api/assignments', { ...task, title: 'Versionsverwaltung', parts: [{ kind: 'deck', slug: 'git' }] })
}

const wrong = (...texts: string[]) => texts.map((text) => ({ text, correct: false }))

/**
 * Sends a request as an administrator.
 * @throws Error if the status is not a success
 */
export async function post<T>(app: App, path: string, body: object | undefined, method = 'POST'): Promise<T> {
  const response = await app.asAdmin(method, path, body)
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as T
}

/**
 * Returns the id of the user with this name.
 * @throws Error if no user has this name
 */
export async function findUserId(app: App, username: string): Promise<number> {
  const { users } = (await (await app.asAdmin('GET', '/api/admin/users')).json()) as {
    users: { id: number; username: string }[]
  }
  const user = users.find((one) => one.username === username)
  if (user === undefined) throw new Error(`no user ${username}`)
  return user.id
}

/**
 * Assigns the sheet and the deck of `writeSome` and an instruction in person to all users, with a yearly repetition.
 * Returns the id of the assignment.
 * @param values fields of the request that replace or extend the default fields
 */
export async function writeAssignment(app: App, values: object = {}): Promise<number> {
  const { assignment } = await post<{ assignment: { id: number } }>(app, '/api/assignments', {
    title: 'Unterweisung Netzwerk und Werkstatt',
    description: 'Bitte vor der Einweisung lesen.',
    parts: [
      { kind: 'sheet', slug: 'netzwerk-kompakt' },
      { kind: 'deck', slug: 'netzwerk', share_percent: 80 },
      { kind: 'personal', title: 'Einweisung am Arbeitsplatz' },
    ],
    audience: { everybody: true },
    starts: '2026-01-01',
    due: '2026-12-31',
    recurrence: { every_months: 12, window_end: '03-31', opens_days_before: 30 },
    mandatory: true,
    retention_years: 3,
    ...values,
  })
  return assignment.id
}
