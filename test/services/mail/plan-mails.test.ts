import { sql } from 'kysely'
import t from 'tap'
import { calendarIn } from '../../../src/domain/time/calendar.js'
import { type JobContext, runJob } from '../../../src/services/jobs/job.js'
import { JOBS } from '../../../src/services/jobs/jobs.js'
import { planReminders } from '../../../src/services/mail/plan-mails.js'
import { createTeam } from '../../support/assignments.js'
import { countStatements, createMigratedDatabase } from '../../support/database.js'
import { createCard, createDeck, createProgress, createUser, unique } from '../../support/factories.js'
import { createDeckIn } from '../../support/variants.js'

const database = await createMigratedDatabase()
const { db } = database
t.teardown(() => database.close())

const ADDRESS = 'https://training.example.org/'
const dayOf = calendarIn('Europe/Berlin')
const mail = {
  host: 'mail.example.org',
  port: 587,
  security: 'starttls' as const,
  login: undefined,
  from: 'training@example.org',
  fromName: undefined,
  replyTo: undefined,
  company: undefined,
  ca: undefined,
}

t.afterEach(async () => {
  for (const table of ['mails', 'occurrences', 'assignments', 'teams', 'users', 'decks'] as const) {
    await db.deleteFrom(table).execute()
  }
})

/** Runs the job `plan-mail` at a local time in winter, such as `2026-12-02T10:00`. */
function plan(at: string, context: Partial<JobContext> = {}) {
  const now = new Date(`${at}+01:00`)
  return runJob(db, JOBS['plan-mail'], {
    mail,
    publicUrl: ADDRESS,
    timeZone: 'Europe/Berlin',
    answersKeepDays: 90,
    defaultLanguage: 'de',
    resultsKeep: 'all',
    moment: (given = now) => ({ at: given, today: dayOf(given) }),
    signal: new AbortController().signal,
    onError: (error) => {
      throw error
    },
    ...context,
  })
}

async function person(more: Parameters<typeof createUser>[1] = {}) {
  const username = unique('person')
  const { id } = await createUser(db, { display_name: username, email: `${username}@example.org`, ...more })
  return id
}

async function assignment(title: string, more: { mandatory?: boolean; archived_at?: Date } = {}) {
  const { id } = await db
    .insertInto('assignments')
    .values({
      title,
      description: '',
      starts_on: '2026-12-01',
      due_on: '2026-12-31',
      mandatory: true,
      retention_years: 2,
      created_on: '2026-12-01',
      planned_on: '2026-12-01',
      ...more,
    } as never)
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

async function give(assignmentIds: number[], userIds: number[], due_on: string, more: Record<string, unknown> = {}) {
  const rows = userIds.flatMap((user_id) =>
    assignmentIds.map((assignment_id) => ({
      user_id,
      assignment_id,
      period: '2026-12-01',
      due_on,
      content_version: 1,
      counts_from: new Date(),
      ...more,
    })),
  )
  return db.insertInto('occurrences').values(rows).returning('id').execute()
}

const mailsOf = async (...userIds: number[]) =>
  db
    .selectFrom('mails')
    .select(['kind', 'day', 'subject', 'body', 'address'])
    .where('user_id', 'in', userIds)
    .orderBy('id')
    .execute()

t.test('plans one mail per person and day about all open tasks, never twice', async (t) => {
  const [fire, data, old] = [
    await assignment('Brandschutz'),
    await assignment('Datenschutz'),
    await assignment('Alt', { archived_at: new Date() }),
  ]
  const voluntary = await assignment('Freiwillig', { mandatory: false })
  const erika = await person({ display_name: 'Erika' })
  const without = await person({ email: null })
  const disabled = await person({ disabled_on: '2026-12-01' })
  const done = await person()
  await give([fire, old, voluntary], [erika, without, disabled], '2026-12-31')
  await give([fire], [done], '2026-12-31', { state: 'done', done_on: '2026-12-01', done_at: new Date() })

  t.same(await plan('2026-12-02T06:59'), { reminders: 0, tasks: 0, digests: 0, due_cards: 0 }, 'not at night')
  t.match(await plan('2026-12-02T20:00'), { tasks: 0 }, 'not in the evening')
  t.match(await plan('2026-12-05T10:00'), { tasks: 0 }, 'not on Saturday')
  t.match(await plan('2026-12-02T10:00', { mail: undefined }), { tasks: 0 }, 'not without a mail server')
  t.match(await plan('2026-12-02T10:00', { publicUrl: undefined }), { tasks: 0 }, 'not without a public URL for links')
  t.match(await plan('2026-12-02T07:00'), { reminders: 2, tasks: 1 })
  const [first, ...others] = await mailsOf(erika, without, disabled, done)
  t.same(others, [])
  t.match(first, {
    kind: 'tasks',
    day: '2026-12-02',
    subject: '2 offene Aufgaben, die nächste fällig am Donnerstag, 31. Dezember',
  })
  t.match(first?.body, /Hallo Erika,[\s\S]*- Brandschutz \(neu\)[\s\S]*- Freiwillig \(neu, freiwillig\)/)
  t.notMatch(first?.body, /Alt/, 'archived assignments are not named')

  await give([data], [erika], '2026-12-04')
  t.match(await plan('2026-12-02T11:00'), { tasks: 0 }, 'a second mail waits for the next day')
  t.match(await plan('2026-12-03T07:00'), { reminders: 1, tasks: 1 })
  t.match((await mailsOf(erika)).at(-1)?.body, /- Datenschutz \(neu\)[\s\S]*- Brandschutz\n/)
  t.match(await plan('2026-12-03T08:00'), { tasks: 0 })

  await db.updateTable('users').set({ email: 'spaet@example.org' }).where('id', '=', without).execute()
  t.match(
    await plan('2027-01-20T08:00'),
    { reminders: 5, tasks: 2 },
    'only the latest reminder after an outage and a late address',
  )
  t.match(await plan('2027-01-21T08:00'), { tasks: 0 })
  t.match(await mailsOf(without), [{ subject: '2 offene Aufgaben, alle überfällig', address: 'spaet@example.org' }])
  await db
    .updateTable('occurrences')
    .set({ extended_until: '2027-02-22' })
    .where('user_id', '=', erika)
    .where('assignment_id', '=', fire)
    .execute()
  t.match(await plan('2027-02-05T08:00'), { tasks: 0 })
  t.match(await plan('2027-02-08T08:00'), { reminders: 1, tasks: 1 }, 'again before the new due day')
  const kinds = await db.selectFrom('mail_reminders').select('kind').distinct().orderBy('kind').execute()
  t.same(
    kinds.map(({ kind }) => kind),
    ['assigned', 'in_14', 'late_7', 'today'],
  )
})

t.test('plans each mail once when killed, repeated and run concurrently, with few statements', async (t) => {
  const ids = await Promise.all(Array.from({ length: 5 }, (_, index) => assignment(`Aufgabe ${index}`)))
  const created = await sql<{ id: number }>`
    insert into users (username, display_name, email, created_at)
    select name, name, name || '@example.org', '2026-01-01'
    from generate_series(1, 450) as number, concat('person-', number) as name returning id`.execute(db)
  const persons = created.rows.map(({ id }) => id)
  await give(ids, persons, '2026-12-31')

  const now = new Date('2026-12-02T10:00:00Z')
  const planning = (batches: number) => ({
    moment: (at = now) => ({ at, today: dayOf(at) }),
    timeZone: 'Europe/Berlin',
    issuer: null,
    address: ADDRESS,
    defaultLanguage: 'de' as const,
    userId: undefined,
    beforeBatch: async () => {
      if (batches-- === 0) throw new Error('killed')
    },
  })
  await t.rejects(planReminders(db, planning(1)), { message: 'killed' })
  const after = await db
    .selectFrom('mails')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  t.equal(Number(after.count), 200, 'the first batch is complete')

  const counter = countStatements(database)
  const counted = counter.database.db
  const twice = await Promise.all([planReminders(counted, planning(99)), planReminders(counted, planning(99))])
  const statements = counter.count()
  t.ok(statements < 100, `${statements} statements for 250 persons with 1,250 occurrences`)
  const again = await planReminders(db, planning(99))
  t.equal(twice[0].tasks + twice[1].tasks + again.tasks, 250)
  t.match(await planReminders(db, planning(99)), { tasks: 0, reminders: 0 })
  t.equal((await mailsOf(...persons)).length, 450)
  const { rows } = await sql<{
    count: number
  }>`select count(*)::integer as count from mail_reminders`.execute(db)
  t.equal(rows[0]?.count, 450 * 5)
})

t.test('informs leads once a week about tasks of their teams that were overdue on Monday', async (t) => {
  const [fire, voluntary] = [await assignment('Brandschutz'), await assignment('Freiwillig', { mandatory: false })]
  const lead = await person({ display_name: 'Leiterin' })
  const [zoe, adam, gone, stranger] = [
    await person({ display_name: 'Zoé "=1+1"\u202e' }),
    await person({ display_name: 'Adam', email: null }),
    await person({ disabled_on: '2026-12-01' }),
    await person(),
  ]
  await createTeam(db, { members: [zoe, adam, gone], leads: [lead] })
  await createTeam(db, { members: [zoe], leads: [lead] })
  await give([fire, voluntary], [zoe, adam, gone, stranger, lead], '2026-12-04')
  const digests = async () => (await mailsOf(lead, zoe, adam, stranger)).filter(({ kind }) => kind === 'lead_digest')
  t.match(await plan('2026-12-04T10:00'), { digests: 0 }, 'nothing is overdue')
  t.match(await plan('2026-12-09T10:00'), { digests: 1 }, 'on Wednesday if Monday was missed')
  t.match(await plan('2026-12-11T10:00'), { digests: 0 }, 'once a week')
  const [digest] = await digests()
  t.match(digest, { day: '2026-12-07', subject: '2 Aufgaben in deinen Teams überfällig' })
  t.match(
    digest?.body,
    'Adam\n- Brandschutz\n  war am Freitag, 4. Dezember fällig (vor 5 Tagen)\n\nZoé "=1+1"\n- Brandschutz\n',
  )
  t.match(await plan('2026-12-14T10:00'), { digests: 1 })
  await db.updateTable('occurrences').set({ state: 'exempt', done_on: '2026-12-15', done_at: new Date() }).execute()
  t.match(await plan('2026-12-21T10:00'), { digests: 0 }, 'nothing is overdue any more')
})

t.test('sends the number of due cards to users who have chosen it', async (t) => {
  const deck = await createDeck(db)
  const cards = [await createCard(db, { deck_id: deck.id }), await createCard(db, { deck_id: deck.id })]
  const asked = await person({ due_cards_mail_key: unique('key') })
  const notAsked = await person()
  const learnt = await person({ due_cards_mail_key: unique('key') })
  const free = await person({ due_cards_mail_key: unique('key') })
  await db
    .insertInto('review_settings')
    .values({
      user_id: free,
      free_weekdays: [3],
      extra_new_on: null,
      new_per_day: 10,
      desired_retention: 0.9,
      maximum_interval: 365,
    } as never)
    .execute()
  for (const card of cards) {
    for (const user_id of [asked, notAsked, free]) {
      await createProgress(db, { user_id, card_id: card.id, next_review: '2026-12-01', last_review: '2026-11-20' })
    }
    await createProgress(db, {
      user_id: learnt,
      card_id: card.id,
      next_review: '2026-12-02',
      last_review: '2026-12-02',
    })
  }
  t.match(await plan('2026-12-02T08:00'), { due_cards: 1 })
  t.match(await plan('2026-12-02T09:00'), { due_cards: 0 })
  const [mail_] = await mailsOf(asked, notAsked, learnt, free)
  t.match(mail_, { kind: 'due_cards', subject: '2 Karten sind heute fällig', body: /mail\/abbestellen#key/ })
  await db
    .insertInto('suspended_cards')
    .values(cards.map(({ id }) => ({ user_id: asked, card_id: id })))
    .execute()
  t.match(await plan('2026-12-03T08:00', { userId: asked }), { due_cards: 0 }, 'no mail on days without due cards')
})

t.test('writes each mail in the language of its recipient', async (t) => {
  const persons = {
    chosen: await person({ language: 'en', language_used: 'de', due_cards_mail_key: unique('key') }),
    used: await person({ language_used: 'en' }),
    german: await person({ language: 'de', language_used: 'en' }),
    unknown: await person(),
  }
  const ids = Object.values(persons)
  const task = await assignment('Brandschutz')
  await give([task], ids, '2026-12-04')
  await createTeam(db, { members: [persons.unknown], leads: [persons.chosen, persons.german] })
  const card = await createCard(db, { deck_id: (await createDeck(db)).id })
  const due = { next_review: '2026-12-01', last_review: '2026-11-20' }
  await createProgress(db, { user_id: persons.chosen, card_id: card.id, ...due })

  t.match(await plan('2026-12-07T10:00'), { tasks: 4, digests: 2, due_cards: 1 })
  const subjects = async (...of: number[]) => (await mailsOf(...of)).map(({ subject }) => subject)
  t.strictSame(await subjects(persons.chosen), [
    'One open task, overdue',
    '2 tasks overdue in your team',
    'One card is due today',
  ])
  t.strictSame(await subjects(persons.used), ['One open task, overdue'])
  t.strictSame(await subjects(persons.german), [
    'Eine offene Aufgabe, überfällig',
    '2 Aufgaben in deinem Team überfällig',
  ])
  t.strictSame(await subjects(persons.unknown), ['Eine offene Aufgabe, überfällig'])
  t.match((await mailsOf(persons.used))[0]?.body, '- Brandschutz\n  overdue: was due on Friday 4 December (3 days ago)')

  await db.deleteFrom('mails').execute()
  await db.deleteFrom('mail_reminders').execute()
  t.match(await plan('2026-12-08T10:00', { defaultLanguage: 'en' }), { tasks: 4 })
  t.strictSame(await subjects(persons.unknown), ['One open task, overdue'])
  t.match(await subjects(persons.german), ['Eine offene Aufgabe, überfällig'])
})

t.test('counts of a group the due cards in the language of the person', async (t) => {
  const original = await createDeckIn(db, 'de', unique('sicher'), ['eins', 'zwei', 'drei'])
  const variant = await createDeckIn(db, 'en', unique('safe'), ['one', 'two'], original.id)
  const wanting = async (more: object) => {
    const id = await person({ due_cards_mail_key: unique('key'), ...more })
    for (const card_id of [...original.ids, ...variant.ids]) {
      await createProgress(db, { user_id: id, card_id, next_review: '2026-12-01', last_review: '2026-11-20' })
    }
    return id
  }
  const unknown = await wanting({})
  const german = await wanting({ language: 'de', language_used: 'en' })
  const english = await wanting({ language_used: 'en' })
  const chosen = await wanting({ language: 'de' })
  const off = await wanting({ language: 'en' })
  await db.insertInto('chosen_languages').values({ user_id: chosen, deck_id: original.id, lang: 'en' }).execute()
  await db.insertInto('inactive_decks').values({ user_id: off, deck_id: original.id }).execute()
  t.match(await plan('2026-12-02T08:00', { defaultLanguage: 'en' }), { due_cards: 4 })
  const counts = []
  for (const id of [unknown, german, english, chosen, off]) counts.push((await mailsOf(id))[0]?.subject[0])
  t.strictSame(counts, ['3', '3', '2', '2', undefined])
})
