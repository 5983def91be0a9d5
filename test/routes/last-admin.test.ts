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
  t.not((await admin.get('/api/auth/me')).body.user.display_name, 'x', 'nothing of it is done')
  t.equal((await admin.patch(`/api/accounts/${admin.id}`, { is_admin: true })).status, 200)
  const other = await createUser(db, { is_admin: true })
  t.equal((await admin.patch(`/api/accounts/${admin.id}`, { is_admin: false })).status, 200)
  t.strictSame(await admins(), [{ id: other.id }])
})

t.test('of two who demote each other at once, one remains', async (t) => {
  for (let round = 0; round < 10; round++) {
    const [one, two] = await onlyAdmins(2)
    if (one === undefined || two === undefined) throw new Error('no administrators')
    const answers = await Promise.all([
      one.patch(`/api/accounts/${two.id}`, { is_admin: false }),
      two.patch(`/api/accounts/${one.id}`, { is_admin: false }),
    ])
    t.equal((await admins()).length, 1)
    t.equal(answers.filter((answer) => answer.status === 200).length, 1)
  }
})

t.test('of two who delete or demote each other at once, one remains', async (t) => {
  for (let round = 0; round < 10; round++) {
    const [one, two] = await onlyAdmins(2)
    if (one === undefined || two === undefined) throw new Error('no administrators')
    const demote = round % 2 === 0
    const answers = await Promise.all([
      one.delete(`/api/admin/users/${two.id}`),
      demote ? two.patch(`/api/accounts/${one.id}`, { is_admin: false }) : two.delete(`/api/admin/users/${one.id}`),
    ])
    t.equal((await admins()).length, 1)
    t.equal(answers.filter((answer) => answer.status === 200).length, 1)
    t.notOk(answers.some((answer) => answer.status >= 500))
  }
})
