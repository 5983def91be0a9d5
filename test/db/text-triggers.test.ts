import { type Kysely, sql } from 'kysely'
import t from 'tap'
import { addCardText } from '../../db/migrations/text-triggers.js'
import { CARD_TEXTS, MARKDOWN_TEXTS } from '../../src/domain/content/card-texts.js'
import { createDatabaseToSpoil } from '../support/database.js'
import { createCard, createDeck } from '../support/factories.js'

t.test('the triggers of cards watch a new text', async (t) => {
  const database = await createDatabaseToSpoil()
  t.teardown(() => database.close())
  const { db } = database
  const deck = await createDeck(db)
  const card = await createCard(db, { deck_id: deck.id })
  const sha = 'ab'.repeat(32)
  const watched = async () => {
    const { rows } = await sql<{ versions: string[]; is_updated: boolean; pictures: string[] }>`
      select array(select probe from card_versions where card_id = cards.id order by version) as versions,
        updated_at > '2026-01-01' as is_updated,
        array(select encode(sha256, 'hex') from picture_uses where card_id = cards.id and is_current) as pictures
      from cards where id = ${card.id}`.execute(db)
    return rows[0]
  }
  await sql`update cards set answer = 'Antwort' where id = ${card.id}`.execute(db)
  await sql`update cards set updated_at = '2026-01-01' where id = ${card.id}`.execute(db)

  await addCardText(db as Kysely<unknown>, 'probe', [...CARD_TEXTS, 'probe'], [...MARKDOWN_TEXTS, 'probe'])
  t.strictSame(await watched(), { versions: [''], is_updated: false, pictures: [] })
  await sql`update cards set probe = ${`![](media/${sha}.png)`} where id = ${card.id}`.execute(db)
  t.strictSame(await watched(), { versions: ['', ''], is_updated: true, pictures: [sha] })
  await sql`update cards set probe = 'neu' where id = ${card.id}`.execute(db)
  t.strictSame(await watched(), { versions: ['', '', `![](media/${sha}.png)`], is_updated: true, pictures: [] })
})
