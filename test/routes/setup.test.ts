import t from 'tap'
import { setStep } from '../../db/queries/setup.js'
import { ASSIGNMENT, sheetPart } from '../support/assignments.js'
import { createSource } from '../support/editing.js'
import { createUser, PASSWORD } from '../support/factories.js'
import { type Caller, callerOf, cookieOf, startService } from '../support/service.js'

const service = await startService(t, { config: { isTimeZoneSet: false } })
const admin = await service.admin()

async function listOpen(caller: Caller = admin): Promise<string[]> {
  const { body } = await caller.get('/api/setup')
  return body.steps
    .filter(({ done, dismissed }: { done: boolean; dismissed: boolean }) => !done && !dismissed)
    .map(({ id }: { id: string }) => id)
}

const dismiss = (caller: Caller, url: string, payload: object) => caller.send({ method: 'PUT', url, payload })

t.test('lists the steps of a new service', async (t) => {
  const open = ['company', 'people', 'teams', 'mail', 'time_zone', 'public_url', 'content', 'assignment', 'backup']
  t.strictSame(await listOpen(), ['password', ...open])
})

t.test('a step is done when its data is there', async (t) => {
  await createUser(service.db)
  await createSource(service.db)
  t.equal((await admin.post('/api/teams', { name: 'Lager' })).status, 200)
  const open = await listOpen()
  for (const step of ['people', 'content', 'teams']) t.notOk(open.includes(step), step)
  t.ok(open.includes('assignment'))
})

t.test('an assignment of shipped content counts as content, one without content does not', async (t) => {
  const other = await startService(t)
  const caller = await other.admin()
  const assign = async (part: object) => {
    const audience = { everybody: true }
    t.equal((await caller.post('/api/assignments', { ...ASSIGNMENT, audience, parts: [part] })).status, 200)
    return listOpen(caller)
  }
  const before = await assign({ kind: 'personal', title: 'Rundgang' })
  t.ok(before.includes('content'))
  t.notOk(before.includes('assignment'))
  t.notOk((await assign(await sheetPart(other.db))).includes('content'))
})

t.test('settings are steps', async (t) => {
  const mail = { host: 'localhost' } as never
  const config = { companyName: 'Muster GmbH', mail, publicUrl: 'https://training.example/' }
  const configured = await startService(t, { config })
  const open = await listOpen(await configured.admin())
  for (const step of ['company', 'mail', 'public_url', 'time_zone']) t.notOk(open.includes(step), step)
})

t.test('a step can be dismissed for all administrators and taken up again', async (t) => {
  const other = await service.admin()
  t.strictSame((await dismiss(admin, '/api/setup/backup', { dismissed: true })).body, { ok: true })
  t.notOk((await listOpen(other)).includes('backup'))
  t.equal((await dismiss(other, '/api/setup/backup', { dismissed: false })).status, 200)
  t.ok((await listOpen()).includes('backup'))
  t.equal((await dismiss(admin, '/api/setup/nothing', { dismissed: true })).status, 404)
  t.equal((await dismiss(admin, '/api/setup/backup', {})).status, 400)
})

t.test('a backup leaves no other trace than its step', async (t) => {
  await setStep(service.db, 'backup', { done: true })
  t.notOk((await listOpen()).includes('backup'))
})

t.test('the own password is a step of each administrator', async (t) => {
  const [one, other] = [await service.admin(), await service.admin()]
  const body = { current_password: PASSWORD, new_password: 'ein anderes Passwort' }
  const session = callerOf(service.app, cookieOf(await one.post('/api/auth/password', body)))
  t.notOk((await listOpen(session)).includes('password'))
  t.ok((await listOpen(other)).includes('password'))
})
