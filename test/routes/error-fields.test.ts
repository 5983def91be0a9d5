import t, { type Test } from 'tap'
import { ASSIGNMENT } from '../support/assignments.js'
import { createEditor, createSource, writeCard, writeDeck } from '../support/editing.js'
import { type ServiceResponse, startService } from '../support/service.js'

const service = await startService(t)
const admin = await service.admin()
const source = await createSource(service.db)
const editor = await createEditor(service, source)
const deck = await writeDeck(editor, source)
const card = await writeCard(editor, deck)

/** Asserts the error code and the faulty field of a refusal. */
function concerns(
  t: Test,
  { headers }: ServiceResponse,
  code: string,
  field: string | undefined,
  details?: object,
): void {
  t.equal(headers['x-error-code'], code)
  t.equal(headers['x-error-field'], field)
  const given = headers['x-error-details']
  t.strictSame(given === undefined ? undefined : JSON.parse(String(given)), details)
}

t.test('names the faulty field of a body', async (t) => {
  const path = `/api/content/cards/${card.id}`
  const version = card.version
  concerns(t, await editor.patch(path, { version, question: ' ' }), 'invalid_input', 'question')
  const long = await editor.patch(path, { version, level: 'a'.repeat(201) })
  concerns(t, long, 'invalid_input', 'level', { maximum: 200 })
  concerns(t, await editor.patch(path, { version, question: 7 }), 'invalid_input', 'question')
  concerns(t, await editor.patch(path, { version, options: [{ correct: true }] }), 'invalid_input', 'options/0/text')
  concerns(t, await editor.patch(path, { question: 'Neu' }), 'invalid_input', 'version')
})

t.test('names the key of the body that another object contradicts', async (t) => {
  const path = `/api/content/cards/${card.id}`
  const outdated = await editor.patch(path, { version: card.version + 1, question: 'Neu' })
  concerns(t, outdated, 'version_outdated', 'version', { version: card.version })
  concerns(t, await editor.patch(path, { version: card.version, deck: 'fehlt' }), 'deck_not_found', 'deck')
  const parts: object[] = [{ kind: 'personal', title: 'Unterweisung' }]
  const nobody = { ...ASSIGNMENT, parts, audience: { user_ids: [999_999] } }
  concerns(t, await admin.post('/api/assignments', nobody), 'person_not_found', 'audience/user_ids')
  const missing = { ...nobody, parts: [...parts, { kind: 'deck', slug: 'fehlt' }] }
  concerns(t, await admin.post('/api/assignments', missing), 'deck_not_found', 'parts/1/slug')
})

t.test('names the parameter of the query string', async (t) => {
  concerns(t, await editor.get('/api/review/queue?limit=viele'), 'invalid_input', 'limit')
  concerns(t, await editor.get('/api/review/queue?deck=fehlt'), 'deck_not_found', 'deck')
})

t.test('adds only headers to the specified endpoints', async (t) => {
  const login = await service.anonymous.post('/api/auth/login', { username: 'erika' })
  concerns(t, login, 'invalid_input', 'password')
  t.strictSame(login.body, { statusCode: 400, error: 'Bad Request', message: 'Benutzername und Passwort erforderlich' })
  const created = { username: 'kurz', display_name: 'Kurz', password: 'abc' }
  concerns(t, await admin.post('/api/admin/users', created), 'invalid_input', 'password', { minimum: 6 })
})

t.test('encodes keys of the request, and leaves out those that are too long', async (t) => {
  const answerOf = (key: string) =>
    editor.send({
      method: 'PUT',
      url: '/api/tests/attempts/1/answers/0',
      payload: { seq: 1, answer: { gaps: { [key]: 7 } } },
    })
  concerns(t, await answerOf('größe'), 'invalid_input', 'answer/gaps/gr%C3%B6%C3%9Fe')
  concerns(t, await answerOf('\ud800'), 'invalid_input', 'answer/gaps/%EF%BF%BD')
  concerns(t, await answerOf('x'.repeat(2_000)), 'invalid_input', undefined)
})

t.test('names no field if the request as a whole is refused', async (t) => {
  concerns(t, await editor.get('/api/content/cards/999999'), 'card_not_found', undefined)
})
