import t from 'tap'
import { createUser } from '../../support/factories.js'
import { connectProvider } from '../../support/scim.js'
import { callerOf } from '../../support/service.js'
import { startSignIn } from '../../support/sign-in.js'

const service = await startSignIn(t, { OIDC_RECHECK_DAYS: 7 })

t.test('a token of the scope `scim` works without a confirmation of its owner, and may delete itself', async (t) => {
  const { owner, token, get } = await connectProvider(service)
  const { id } = (await owner.get('/api/auth/tokens')).body.tokens[0]
  const other = (await owner.post('/api/auth/tokens', { name: 'x' })).body.token
  await createUser(service.db)
  await service.db
    .insertInto('identities')
    .values({
      user_id: owner.id,
      issuer: service.provider.issuer,
      subject: 'owner',
      confirmed_at: new Date('2020-01-01'),
    })
    .execute()
  t.equal((await callerOf(service.app, undefined, other).get('/api/auth/me')).status, 401, 'other tokens need one')
  t.equal((await get('/scim/v2/Users')).status, 200)
  t.equal((await callerOf(service.app, undefined, token).delete(`/api/auth/tokens/${id}`)).status, 200)
})
