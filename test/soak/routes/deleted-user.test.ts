import t from 'tap'
import { createUser, PASSWORD } from '../../support/factories.js'
import { startService } from '../../support/service.js'

t.setTimeout(3_600_000)

const service = await startService(t)
const { db } = service

t.test('deleting users during logins and writes causes no error', async (t) => {
  for (let round = 0; round < 100; round++) {
    const user = await createUser(db)
    const caller = await service.loginAs(user.username)
    const login = () => service.anonymous.post('/api/auth/login', { username: user.username, password: PASSWORD })
    const responses = [
      login(),
      caller.post('/api/quiz/submit', { total: 2, correct: 1 }),
      caller.post('/api/auth/tokens', { name: 'x' }),
      login(),
      caller.post('/api/auth/password', { current_password: PASSWORD, new_password: 'neues-passwort' }),
    ]
    const deletion = async () => {
      await Promise.race(responses.slice(round % 4))
      await db.deleteFrom('users').where('id', '=', user.id).execute()
    }
    const [seen] = await Promise.all([Promise.all(responses), deletion()])
    for (const { status, text } of seen) t.ok(status === 200 || status === 401, text)
    t.strictSame(await db.selectFrom('sessions').select('id').where('user_id', '=', user.id).execute(), [])
  }
})
