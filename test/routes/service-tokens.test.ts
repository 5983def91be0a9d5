import t from 'tap'
import { unique } from '../support/factories.js'
import { startService } from '../support/service.js'

const service = await startService(t)
const { db } = service
const admin = await service.admin()

async function createOwner() {
  const owner = await service.member()
  const external_id = unique('id')
  await db.updateTable('users').set({ external_id }).where('id', '=', owner.id).execute()
  const { username } = await db
    .selectFrom('users')
    .select('username')
    .where('id', '=', owner.id)
    .executeTakeFirstOrThrow()
  const { id } = (await owner.post('/api/auth/tokens', { name: 'nightly import' })).body
  await owner.post('/api/auth/tokens', { name: 'own' })
  await admin.patch(`/api/accounts/${owner.id}/tokens/${id}`, { is_service: true })
  return { external_id, username, token: { id, name: 'nightly import' } }
}

t.test('a PUT that disables an account names its service tokens', async (t) => {
  const { external_id, token } = await createOwner()
  const put = async (values: object) => (await admin.put(`/api/accounts/by-external-id/${external_id}`, values)).body
  t.notOk('service_tokens' in (await put({ display_name: 'Erika' })))
  t.strictSame((await put({ disabled_on: '2999-12-31' })).service_tokens, [token])
  t.strictSame((await put({ disabled_on: '2020-01-01' })).service_tokens, [token])
  t.strictSame((await put({ disabled_on: '2020-01-01' })).service_tokens, [], 'they have ended')
})

t.test('a list that disables accounts names their service tokens, also when it is only checked', async (t) => {
  const { username, token } = await createOwner()
  const post = async (query: string, disabled_on: string) =>
    (await admin.post(`/api/accounts/bulk?mode=update${query}`, { users: [{ username, disabled_on }] })).body
  const expected = [{ ...token, username }]
  t.strictSame((await post('&check=true', '2020-01-01')).service_tokens, expected)
  t.strictSame((await post('', '2020-01-01')).service_tokens, expected)
  t.strictSame((await post('', '2020-01-01')).service_tokens, [])
})
