// Some endpoints of the service in a conventional implementation, for comparison: Express, express-session in
// PostgreSQL, a query builder, one big join, `ORDER BY random()`, whole results in memory. It uses connection pools and
// the tables and indexes of the service, and runs in production mode.
import argon2 from 'argon2'
import connectPgSimple from 'connect-pg-simple'
import express from 'express'
import session from 'express-session'
import knexFactory from 'knex'
import pg from 'pg'

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 })
const knex = knexFactory({ client: 'pg', connection: process.env.DATABASE_URL, pool: { min: 2, max: 10 } })
const PgSession = connectPgSimple(session)

const app = express()
app.use(express.json())
app.use(
  session({
    store: new PgSession({ pool, tableName: 'usual_sessions', createTableIfMissing: true }),
    secret: 'a secret that only the benchmark knows',
    resave: false,
    saveUninitialized: false,
    cookie: { maxAge: 7 * 24 * 60 * 60 * 1000 },
  }),
)

app.get('/readyz', (_request, response) => response.json({ status: 'ok' }))

app.post('/api/auth/login', async (request, response) => {
  const user = await knex('users').where({ username: request.body.username }).first()
  if (!user || !(await argon2.verify(user.password_hash, request.body.password))) {
    return response.status(401).json({ message: 'Benutzername oder Passwort falsch' })
  }
  request.session.userId = user.id
  request.session.save(() => response.json({ user: { id: user.id, username: user.username } }))
})

app.use(async (request, response, next) => {
  if (!request.session.userId) return response.status(401).json({ message: 'Nicht angemeldet' })
  request.user = await knex('users').where({ id: request.session.userId }).first()
  next()
})

app.get('/api/decks', async (request, response) => {
  const { rows } = await knex.raw(
    `select d.id, d.slug, d.name, d.description, d.card_count,
       count(p.id)::int as reviewed,
       count(p.id) filter (where p.last_rating in ('easy', 'medium'))::int as correct,
       count(p.id) filter (where p.next_review <= current_date)::int as due
     from decks d
     left join cards c on c.deck_id = d.id
     left join card_progress p on p.card_id = c.id and p.user_id = ?
     group by d.id
     order by d.sort_order, d.name`,
    [request.user.id],
  )
  response.json({ decks: rows })
})

app.get('/api/quiz/generate', async (request, response) => {
  const count = Math.min(Math.max(Number(request.query.count ?? 10), 1), 50)
  const cards = await knex('cards')
    .join('decks', 'decks.id', 'cards.deck_id')
    .select('cards.id', 'question', 'answer', 'decks.name as deck_name')
    .orderByRaw('random()')
    .limit(count)
  const pool = await knex
    .select('answer')
    .from(knex('cards').distinct('answer').as('answers'))
    .orderByRaw('random()')
    .limit(200)
  const shorten = (text) => (text.length > 120 ? `${text.slice(0, 120)}...` : text)
  const questions = cards.map((card) => {
    const wrong = pool
      .map(({ answer }) => answer)
      .filter((answer) => answer !== card.answer)
      .sort(() => Math.random() - 0.5)
      .slice(0, 3)
    const options = [card.answer, ...wrong].map(shorten).sort(() => Math.random() - 0.5)
    return {
      card_id: card.id,
      question: card.question,
      options,
      correct_index: options.indexOf(shorten(card.answer)),
      full_answer: card.answer,
      deck_name: card.deck_name,
    }
  })
  response.json({ questions, deck: 'all' })
})

app.get('/api/quiz/history', async (request, response) => {
  const results = await knex('quiz_results')
    .select('deck_slug', 'quiz_type', 'score_percent', 'total_questions', 'correct_answers', 'created_at')
    .where({ user_id: request.user.id })
    .orderBy('created_at', 'desc')
    .limit(20)
  response.json({ results })
})

app.get('/api/cheatsheets/search', async (request, response) => {
  const pattern = `%${request.query.q}%`
  const cheatsheets = await knex('cheatsheets')
    .select('id', 'slug', 'title', 'category')
    .whereILike('content_md', pattern)
    .orWhereILike('title', pattern)
    .orderBy('title')
  response.json({ cheatsheets, query: request.query.q })
})

app.get('/api/decks/export-anki', async (_request, response) => {
  const cards = await knex('cards')
    .join('decks', 'decks.id', 'cards.deck_id')
    .select('question', 'answer', 'decks.name as deck_name', 'level')
    .orderBy(['decks.sort_order', 'decks.id', 'cards.sort_order', 'cards.id'])
  const format = (text) =>
    text
      .replace(/\*\*(.+?)\*\*/g, '<b>$1</b>')
      .replaceAll('\t', ' ')
      .replaceAll('\n', '<br>')
  const lines = cards.map((card) => [format(card.question), format(card.answer), card.deck_name, card.level].join('\t'))
  response.type('text/tab-separated-values').send(lines.join('\n'))
})

app.listen(Number(process.env.PORT), '127.0.0.1')
