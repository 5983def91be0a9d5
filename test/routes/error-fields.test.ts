import t, { type Test } from 'tap'
import { ASSIGNMENT } from '../support/assignments.js'
import { createEditor, createSource, writeCard, writeDeck } from '../support/editing.js'
import type { Json } from '../support/openapi.js'
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

t.test('names the key that causes a 404 or 409, also in the items of a batch', async (t) => {
  const rating = { card_id: card.id, rating: 'easy', client_id: 'error-fields-1' }
  concerns(t, await editor.post('/api/review', { ...rating, card_id: 999_999 }), 'card_not_found', 'card_id')
  t.equal((await editor.post('/api/review', rating)).status, 200)
  concerns(t, await editor.post('/api/review', { ...rating, rating: 'hard' }), 'other_review', 'client_id')
  const reviews = [
    { ...rating, rating: 'hard' },
    { ...rating, rating: 'falsch' },
  ]
  const { body } = await editor.post('/api/review/batch', { reviews })
  t.match(body.results, [
    { code: 'other_review', field: 'client_id', details: null },
    { code: 'invalid_input', field: 'rating', details: null },
  ])
  const team = { name: 'Werkstatt', external_group: 'werkstatt' }
  t.equal((await admin.post('/api/teams', team)).status, 200)
  concerns(t, await admin.post('/api/teams', { ...team, name: 'Büro' }), 'team_taken', 'external_group')
  concerns(t, await admin.post('/api/teams', { ...team, external_group: null }), 'team_taken', 'name')
  concerns(t, await editor.get('/api/content/export?format=csv&deck=fehlt'), 'deck_not_found', 'deck')
  concerns(t, await admin.get('/api/content/export?source=999999'), 'source_not_found', 'source')
})

/** Returns a value of the schema; the OpenAPI document has an example for every key of a body. */
function exampleOf(schema: Json): unknown {
  const [variant = schema] = (schema.anyOf ?? schema.oneOf ?? []) as Json[]
  if (variant !== schema) return exampleOf(variant)
  if (schema.examples !== undefined) return schema.examples[0]
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  const type = [schema.type].flat()[0]
  if (type === 'object') return bodyOf(schema)
  if (type === 'array') return Array.from({ length: schema.minItems ?? 0 }, () => exampleOf(schema.items))
  return type === 'string' ? 'a'.repeat(schema.minLength ?? 1) : type === 'boolean' ? false : (schema.minimum ?? 1)
}

function bodyOf({ properties = {}, required = [] }: Json): Record<string, unknown> {
  return Object.fromEntries(required.map((key: string) => [key, exampleOf(properties[key])]))
}

/** Returns the schema without references into the document. */
function resolve(document: Json, schema: Json): Json {
  const text = JSON.stringify(schema, (_, value) =>
    typeof value?.$ref === 'string' ? document.components.schemas[value.$ref.split('/').at(-1)] : value,
  )
  return JSON.parse(text)
}

t.test('names the faulty key and parameter of every operation', async (t) => {
  const document = (await admin.get('/openapi.json')).body as Json
  const silent: string[] = []
  let named = 0
  for (const [path, methods] of Object.entries<Json>(document.paths)) {
    for (const [method, { operationId, requestBody, parameters = [] }] of Object.entries<Json>(methods)) {
      const url = path.replaceAll(/\{(\w+)\}/g, '1')
      const judge = ({ status, headers }: ServiceResponse, key: string) => {
        // A request without a file is refused after its parameters.
        if (status !== 400 || headers['x-error-code'] === 'no_file') return
        if (String(headers['x-error-field']).split('/')[0] === key) named++
        else silent.push(`${operationId} ${key}: ${headers['x-error-code']} ${headers['x-error-field']}`)
      }
      for (const { name, in: place, schema } of parameters) {
        if (place !== 'query' || schema.type === 'string') continue
        // An upload needs a name, although another parameter may take its place.
        const query = new URLSearchParams({
          ...(operationId === 'importFile' && { name: 'Tabelle' }),
          [name]: 'falsch',
        })
        judge(await admin.send({ method: method.toUpperCase() as 'GET', url: `${url}?${query}` }), name)
      }
      const body = requestBody?.content['application/json']?.schema
      if (body === undefined) continue
      const schema = resolve(document, body)
      const valid = bodyOf(schema)
      for (const [key, { type }] of Object.entries<Json>(schema.properties ?? {})) {
        const wrong = [type].flat().includes('object') ? 7 : {}
        const payload = { ...valid, [key]: wrong }
        judge(await admin.send({ method: method.toUpperCase() as 'POST', url, payload }), key)
      }
    }
  }
  // The schema cannot say that `change` needs one of its keys, so its example is refused as well.
  t.strictSame(silent, ['changeCards check: invalid_input change'])
  t.comment(`${named} keys and parameters`)
  t.ok(named > 150, `${named} keys`)
})
