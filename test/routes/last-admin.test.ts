import t from 'tap'
import { createUser } from '../support/factories.js'
import { errorBody, startService } from '../support/service.js'

const service = await startService(t)
const { db } = service

async function onlyAdmins(count: number) {
  await db.updateTable('users').set({ is_admin: false }).execute()
  return Promise.all(Array.from({ length: count }, () => service.admin()))
}

const admins = () => db.selectFrom('users').select('id').where('is_admin', '=', true).execute()
const last = errorBody(400, 'Dem letzten Administrator kann man die Rechte nicht nehmen')

t.test('the last administrator keeps the right', async (t) => {
  const [admin] = await onlyAdmins(1)
  if (admin === undefined) throw new Error('no administrator')
  t.strictSame((await admin.patch(`/api/accounts/${admin.id}`, { is_admin: false, display_name: 'x' })).body, last)
  t.not((await admin.get('/api/auth/me')).body.user.display_name, 'x', 'no part of the request is applied')
  t.equal((await admin.patch(`/api/accounts/${admin.id}`, { is_admin: true })).status, 200)
  const other = await createUser(db, { is_admin: true })
  t.equal((await admin.patch(`/api/accounts/${admin.id}`, { is_admin: false })).status, 200)
  t.strictSame(await admins(), [{ id: other.id }])
})

t.test(
  'the last remaining administrator cannot be disabled; one with a planned deactivation does not count',
  async (t) => {
    const [admin, leaver] = await onlyAdmins(2)
    if (admin === undefined || leaver === undefined) throw new Error('no administrators')
    const disable = (id: number, disabled_on: string | null) => admin.patch(`/api/accounts/${id}`, { disabled_on })
    t.equal((await disable(leaver.id, '2999-12-31')).status, 200, 'a planned deactivation')
    const refused = errorBody(400, 'Den letzten Administrator kann man nicht deaktivieren')
    for (const day of ['2999-12-31', '2020-01-01']) t.strictSame((await disable(admin.id, day)).body, refused, day)
    t.strictSame((await leaver.patch(`/api/accounts/${admin.id}`, { is_admin: false })).body, last)
    t.equal((await leaver.delete(`/api/admin/users/${admin.id}`)).status, 400)
    t.equal((await disable(leaver.id, '2999-12-30')).status, 200, 'the day of a planned deactivation can be changed')
    t.equal((await disable(leaver.id, null)).status, 200)
    t.equal((await disable(admin.id, '2020-01-01')).status, 200, 'another administrator remains')
    t.equal((await leaver.patch(`/api/accounts/${admin.id}`, { is_admin: false })).status, 200)
  },
)

t.test('of two administrators who demote each other concurrently, one remains', async (t) => {
  for (let round = 0; round < 10; round++) {
    const [one, two] = await onlyAdmins(2)
    if (one === undefined || two === undefined) throw new Error('no administrators')
    const responses = await Promise.all([
      one.patch(`/api/accounts/${two.id}`, { is_admin: false }),
      two.patch(`/api/accounts/${one.id}`, { is_admin: false }),
    ])
    t.equal((await admins()).length, 1)
    t.equal(responses.filter((response) => response.status === 200).length, 1)
  }
})

t.test('of two administrators who delete or demote each other concurrently, one remains', async (t) => {
  for (let round = 0; round < 10; round++) {
    const [one, two] = await onlyAdmins(2)
    if (one === undefined || two === undefined) throw new Error('no administrators')
    const demote = round % 2 === 0
    const responses = await Promise.all([
      one.delete(`/api/admin/users/${two.id}`),
      demote ? two.patch(`/api/accounts/${one.id}`, { is_admin: false }) : two.delete(`/api/admin/users/${one.id}`),
    ])
    t.equal((await admins()).length, 1)
    t.equal(responses.filter((response) => response.status === 200).length, 1)
    t.notOk(responses.some((response) => response.status >= 500))
  }
})

t.test('of two administrators who disable each other concurrently, one remains', async (t) => {
  for (let round = 0; round < 10; round++) {
    const [one, two] = await onlyAdmins(2)
    if (one === undefined || two === undefined) throw new Error('no administrators')
    const responses = await Promise.all([
      one.patch(`/api/accounts/${two.id}`, { disabled_on: '2020-01-01' }),
      two.patch(`/api/accounts/${one.id}`, { disabled_on: '2020-01-01' }),
    ])
    t.equal(responses.filter((response) => response.status === 200).length, 1)
    const disabled = await db
      .selectFrom('users')
      .select('id')
      .where('id', 'in', [one.id, two.id])
      .where('disabled_on', 'is not', null)
      .execute()
    t.equal(disabled.length, 1)
  }
})
