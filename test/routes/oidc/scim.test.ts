import t from 'tap'
import { createUser, unique } from '../../support/factories.js'
import { connectProvider, patchOf } from '../../support/scim.js'
import { startSignIn } from '../../support/sign-in.js'

const service = await startSignIn(t)
const { db, browser } = service
const scim = await connectProvider(service)

const create = async (userName = unique('scim')) =>
  (await scim.post('/scim/v2/Users', { userName, externalId: unique('id'), displayName: 'Erika Muster' })).body
const personOf = (preferred_username: string) => ({ sub: unique('sub'), preferred_username, name: 'Erika Muster' })
const TAKEN = '/anmelden?fehler=name_vergeben'

t.test('the first login links an account that SCIM has created', async (t) => {
  const { id, userName } = await create()
  const erika = browser()
  const person = personOf(userName)
  t.equal(await erika.signIn(person), '/')
  t.equal((await erika.caller().get('/api/auth/me')).body.user.id, Number(id))
  const entry = await db
    .selectFrom('audit_log')
    .select('details')
    .where('action', '=', 'identity.link')
    .where('target_id', '=', Number(id))
    .executeTakeFirst()
  t.match(entry, { details: { allowed: 'scim' } })
  t.equal(await browser().signIn(person), '/', 'later logins use the link')
  t.equal(await browser().signIn(personOf(userName)), TAKEN, 'another person of this name is refused')
})

t.test('only once, even if the identity is removed', async (t) => {
  const { id, userName } = await create()
  await browser().signIn(personOf(userName))
  await db.deleteFrom('identities').where('user_id', '=', Number(id)).execute()
  t.equal(await browser().signIn(personOf(userName)), TAKEN)
})

t.test('without a limit in time, and with a name in another case', async (t) => {
  const { id } = await create('Anna.Beispiel@Example.org')
  await db
    .updateTable('users')
    .set({ created_at: new Date('2020-01-01') })
    .where('id', '=', Number(id))
    .execute()
  const anna = browser()
  t.equal(await anna.signIn(personOf('anna.beispiel@example.org')), '/')
  t.equal((await anna.caller().get('/api/auth/me')).body.user.id, Number(id))
})

t.test('an exact name wins over the account of SCIM in another case', async (t) => {
  const name = unique('fall')
  const { id } = await create(name.toUpperCase())
  await createUser(db, { username: name })
  t.equal(await browser().signIn(personOf(name)), TAKEN)
  t.strictSame(await db.selectFrom('identities').selectAll().where('user_id', '=', Number(id)).execute(), [])
})

t.test('not an account with a password, nor one that SCIM only manages', async (t) => {
  const { id, userName } = await create()
  await service.admin().then((admin) => admin.patch(`/api/accounts/${id}`, { password: 'ein langes Passwort' }))
  t.equal(await browser().signIn(personOf(userName)), TAKEN)

  const existing = await createUser(db, { password_hash: null })
  await db.updateTable('users').set({ password_hash: null }).where('id', '=', existing.id).execute()
  await scim.put(`/scim/v2/Users/${existing.id}`, { userName: existing.username, externalId: unique('id') })
  t.equal(await browser().signIn(personOf(existing.username)), TAKEN)
})

t.test('a disabled account is refused, and linked after SCIM has enabled it', async (t) => {
  const { id, userName } = await create()
  const person = personOf(userName)
  const set = (active: boolean) => scim.patch(`/scim/v2/Users/${id}`, patchOf({ op: 'replace', value: { active } }))
  await set(false)
  t.equal(await browser().signIn(person), '/anmelden?fehler=nicht_angelegt')
  await set(true)
  const erika = browser()
  t.equal(await erika.signIn(person), '/')
  await set(false)
  t.equal((await erika.caller().get('/api/auth/me')).status, 401, 'ends at once')
})
