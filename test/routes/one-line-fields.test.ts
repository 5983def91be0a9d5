import t from 'tap'
import { deckFile, writeContentFolder } from '../support/content.js'
import { createEditor, createSource, writeCard, writeDeck } from '../support/editing.js'
import { createUser, unique } from '../support/factories.js'
import { makePackage } from '../support/make-package.js'
import { type Caller, errorBody, type ServiceResponse, startService } from '../support/service.js'
import { zipOf } from '../support/upload-packages.js'

/** Control characters (C0, DEL, C1), line separators and characters that change the writing direction */
const REFUSED = ['\t', '\n', '\r', '\x07', '\x1b', '\x7f', '\x85', '\u2028', '\u200e', '\u200f', '\u202a', '\u202e']
const MORE_REFUSED = ['\u061c', '\u2066', '\u2069']
const CHARACTERS = [...REFUSED, ...MORE_REFUSED]
/** For the fields after the first one, because all fields share one set of characters: one of each kind */
const SAMPLES = ['\n', '\x85', '\u2028', '\u202e']
const NO_CONTROLS = 'darf keine Tabulatoren, Zeilenumbrüche oder Steuerzeichen enthalten'

const LABELS: Record<string, string> = { 'decks/git.md': deckFile('Git', [{ id: 'stash' }]) }
const contentDir = await writeContentFolder(t, LABELS)
const service = await startService(t, { config: { contentDir, publicUrl: 'https://training.example.org/' } })
const { db } = service
const admin = await service.admin()
const member = await service.member()
const source = await createSource(db)
const editor = await createEditor(service, source)
const deck = await writeDeck(editor, source)
const card = await writeCard(editor, deck)
const { sheet } = (
  await editor.post('/api/content/sheets', {
    source_id: source,
    title: 'Zettel',
    category: 'Git',
    content_md: '# Zettel\n',
    client_id: unique('sheet'),
  })
).body
const { team } = (await admin.post('/api/teams', { name: unique('Team') })).body
const user = await createUser(db)
const CREDENTIAL = {
  id: 'x',
  rawId: 'x',
  type: 'public-key',
  response: { clientDataJSON: 'x', attestationObject: 'x' },
}
const ASSIGNMENT = {
  parts: [{ kind: 'sheet', slug: sheet.slug }],
  audience: { everybody: true },
  starts: '2026-12-01',
  due: '2026-12-31',
  recurrence: null,
  mandatory: true,
  retention_years: 2,
}
const assignment = (await admin.post('/api/assignments', { title: 'Brandschutz', ...ASSIGNMENT })).body.assignment

/** Names a character in the output of the test, where a raw one would break the line. */
const nameOf = (character: string) => `U+${character.charCodeAt(0).toString(16)}`

const put = (caller: Caller, url: string, payload: object) => caller.send({ method: 'PUT', url, payload })
const upload = (query: string, body: Buffer) =>
  editor.post(`/api/content/imports?${query}`, body, { headers: { 'content-type': 'application/octet-stream' } })
const newUser = () => ({ username: unique('name'), display_name: 'Erika', password: 'vier Wörter' })
const newCard = () => ({ deck, question: 'F', answer: 'A', client_id: unique('card') })
const TABLE = Buffer.from('Frage;Antwort\nF;A\n')

/** Each field of one line of the routes that write, with the name that the refusal contains, and a request for it */
const FIELDS: [name: string, field: string, send: (text: string) => Promise<ServiceResponse>][] = [
  ['createUser', 'username', (username) => admin.post('/api/admin/users', { ...newUser(), username })],
  ['createUser', 'display_name', (display_name) => admin.post('/api/admin/users', { ...newUser(), display_name })],
  ['changeAccount', 'display_name', (display_name) => admin.patch(`/api/accounts/${user.id}`, { display_name })],
  ['changeOwnAccount', 'display_name', (display_name) => member.patch('/api/accounts/me', { display_name })],
  ['createToken', 'name', (name) => member.post('/api/auth/tokens', { name })],
  ['createPasskey', 'name', (name) => member.post('/api/auth/passkeys', { name, credential: CREDENTIAL })],
  ['changeAccount', 'external_id', (external_id) => admin.patch(`/api/accounts/${user.id}`, { external_id })],
  ['createTeam', 'name', (name) => admin.post('/api/teams', { name })],
  ['createTeam', 'external_group', (group) => admin.post('/api/teams', { name: unique('T'), external_group: group })],
  ['changeTeam', 'name', (name) => admin.patch(`/api/teams/${team.id}`, { name })],
  ['changeTeam', 'external_group', (group) => admin.patch(`/api/teams/${team.id}`, { external_group: group })],
  ['changeTeam', 'external_id', (external_id) => admin.patch(`/api/teams/${team.id}`, { external_id })],
  ['createTeam', 'external_id', (external_id) => admin.post('/api/teams', { name: unique('T'), external_id })],
  ['putTeam', 'name', (name) => put(admin, `/api/teams/by-external-id/${unique('T')}`, { name })],
  ['putAccount', 'username', (username) => put(admin, `/api/accounts/by-external-id/${unique('P')}`, { username })],
  ['createAssignment', 'title', (title) => admin.post('/api/assignments', { ...ASSIGNMENT, title })],
  ['changeAssignment', 'title', (title) => admin.patch(`/api/assignments/${assignment.id}`, { title })],
  [
    ...(['createAssignment', 'parts/0/title'] as const),
    (title) => admin.post('/api/assignments', { ...ASSIGNMENT, title: 'T', parts: [{ kind: 'personal', title }] }),
  ],
  ['exportProofs', 'purpose', (text) => admin.get(`/api/proofs/export?purpose=${encodeURIComponent(text)}`)],
  ['exportExpiring', 'purpose', (text) => admin.get(`/api/proofs/expiring.csv?purpose=${encodeURIComponent(text)}`)],
  ['createSource', 'name', (name) => editor.post('/api/content/sources', { name })],
  ['renameSource', 'name', (name) => editor.patch(`/api/content/sources/${source}`, { name })],
  ['createDeck', 'name', (name) => editor.post('/api/content/decks', { source_id: source, name })],
  ['changeDeck', 'name', (name) => editor.patch(`/api/content/decks/${deck}`, { name })],
  ['createCard', 'level', (level) => editor.post('/api/content/cards', { ...newCard(), level })],
  ['changeCard', 'level', (level) => editor.patch(`/api/content/cards/${card.id}`, { version: 1, level })],
  ['changeCards', 'level', (level) => editor.post('/api/content/cards/bulk', { ids: [card.id], change: { level } })],
  ...(['title', 'category'] as const).flatMap((key): typeof FIELDS => [
    [
      ...(['createSheet', key] as const),
      (text) =>
        editor.post('/api/content/sheets', {
          source_id: source,
          title: 'T',
          category: 'K',
          content_md: 'x',
          client_id: unique('sheet'),
          [key]: text,
        }),
    ],
    [
      ...(['changeSheet', key] as const),
      (text) => editor.patch(`/api/content/sheets/${sheet.slug}`, { version: 1, [key]: text }),
    ],
  ]),
  [
    ...(['saveTest', 'name'] as const),
    (name) => put(editor, `/api/content/tests/${unique('t')}`, { source_id: source, name, sections: [{ deck }] }),
  ],
  [
    ...(['saveTest', 'level'] as const),
    (level) =>
      put(editor, `/api/content/tests/${unique('t')}`, { source_id: source, name: 'T', sections: [{ deck, level }] }),
  ],
]

/** Parameters of an upload, whose refusal names them in other words */
const PARAMETERS = ['name', 'deck', 'level']

t.test('a control character in a field of one line is refused by name', async (t) => {
  for (const [index, [operation, field, send]] of FIELDS.entries()) {
    for (const character of index === 0 ? CHARACTERS : SAMPLES) {
      const label = `${operation} ${field} ${nameOf(character)}`
      const response = await send(`a${character}b`)
      t.equal(response.status, 400, label)
      t.match(
        String(response.body.message),
        new RegExp(`„[^“]*${field.replaceAll(/[[\]]/g, '\\$&')}“ ${NO_CONTROLS}$`),
        label,
      )
    }
  }
  for (const [index, parameter] of PARAMETERS.entries()) {
    for (const character of index === 0 ? CHARACTERS : SAMPLES) {
      const query = new URLSearchParams({ source: String(source), name: 'x.csv', check: 'true' })
      query.set(parameter, `a${character}b`)
      const { status, body } = await upload(query.toString(), TABLE)
      const message = `Der Parameter „${parameter}“ enthält unzulässige Zeichen`
      t.strictSame([status, body], [400, errorBody(400, message)], `upload ${parameter} ${nameOf(character)}`)
    }
  }
})

t.test('the same fields accept a text without control characters', async (t) => {
  for (const [operation, field, send] of FIELDS) {
    if (operation === 'createPasskey') continue
    const response = await send(unique('Größe 😀 '))
    t.notMatch(String(response.body?.message), NO_CONTROLS, `${operation} ${field}`)
  }
})

t.test('the rules of the specification for user creation come first', async (t) => {
  const create = async (rest: object) =>
    (await admin.post('/api/admin/users', { ...newUser(), ...rest })).body.message as string
  const name = 'a\u202eb'
  t.equal(await create({ username: name, display_name: ' ' }), 'Benutzername, Anzeigename und Passwort erforderlich')
  t.equal(await create({ username: name, password: '12345' }), 'Passwort muss mindestens 6 Zeichen haben')
  t.equal(await create({ username: name }), `Das Feld „username“ ${NO_CONTROLS}`)
  await createUser(db, { username: name })
  t.equal(await create({ username: name }), 'Benutzername existiert bereits', 'a name from before this rule')
  t.equal(await create({ username: ` ${unique('name')}\n` }), 'Benutzer erstellt', 'names are trimmed')
})

t.test('a list of users reports the line', async (t) => {
  const { body } = await admin.post('/api/accounts/bulk?check=true', {
    users: [{ username: unique('u') }, { username: 'a\u202eb' }, { username: unique('u'), display_name: 'a\x07b' }],
  })
  t.strictSame(
    body.errors.map(({ line, field }: { line: number; field: string }) => [line, field]),
    [
      [2, 'username'],
      [3, 'display_name'],
    ],
  )
})

t.test('card texts keep their line ends', async (t) => {
  const written = await writeCard(editor, deck, { question: 'Eins\n\n- zwei', answer: 'A\tb\nc' })
  t.match(written, { question: 'Eins\n\n- zwei', answer: 'A\tb\nc' })
})

const FAULTY_FILES = {
  'decks/a.md': deckFile('A\u202e', [{ id: 'eins' }]),
  'decks/b.md': deckFile('B', [{ id: 'eins', level: 'a\u200eb' }]),
  'cheatsheets/c.md': '---\ntitle: "C\\a"\ncategory: "x\\ny"\n---\nText\n',
  'cheatsheets/d.md': '---\ncategory: D\n---\nText\n\n# D\u2066 und mehr\n',
  'tests/e.md': '---\nname: "E\\a"\nsections:\n  - { deck: a }\n---\n',
}
const FAULTS = [
  ['cheatsheets/c.md', 2],
  ['cheatsheets/c.md', 3],
  ['cheatsheets/d.md', 6],
  ['decks/a.md', 2],
  ['decks/b.md', 5],
  ['tests/e.md', 2],
]

t.test('names in files are refused with file and line', async (t) => {
  const placesOf = ({ body }: ServiceResponse) =>
    body.errors
      .filter(({ message }: { message: string }) => message.endsWith(NO_CONTROLS))
      .map(({ file, line }: { file: string; line: number }) => [file, line])
      .sort()
  const folder = await writeContentFolder(t, FAULTY_FILES)
  const { admin } = await startService(t, { config: { contentDir: folder } })
  t.strictSame(placesOf(await (await admin()).post('/api/admin/import')), FAULTS, 'folder')
  t.strictSame(placesOf(await upload(`source=${source}&name=x.zip`, await zipOf(FAULTY_FILES))), FAULTS, 'archive')
})

t.test('names in tables and Anki packages are cleaned', async (t) => {
  const table = Buffer.from('Frage;Antwort;Deck;Level\nF;A;"Linux\u202e\r\nNetz";"leicht\ter\u200e"\n')
  const notes = [{ guid: 'one', front: 'F', tags: 'leicht\u202e' }]
  for (const [name, bytes, level] of [
    ['x.csv', table, 'leicht er'],
    ['x.apkg', await makePackage({ 'Linux\u202e\x07 Netz': notes }), 'leicht'],
  ] as const) {
    const { status, body, text } = await upload(`name=${name}`, bytes)
    t.equal(status, 200, text)
    const { decks } = (await editor.get(`/api/content/decks?source=${body.source.id}`)).body
    t.match(decks, [{ name: 'Linux Netz' }], name)
    const { cards } = (await editor.get(`/api/content/cards?deck=${decks[0].slug}`)).body
    t.match(cards, [{ level }], name)
  }
})
