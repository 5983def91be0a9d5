import t from 'tap'
import { changeFiles, deckFile, writeContentFolder } from '../support/content.js'
import { createEditor, createSource, writeCard, writeDeck } from '../support/editing.js'
import { createProgress } from '../support/factories.js'
import { startService } from '../support/service.js'

const folder = await writeContentFolder(t, {
  'decks/sicher.md': deckFile('Sicher', [{ id: 'eins' }, { id: 'zwei' }]),
})
const service = await startService(t, { config: { contentDir: folder } })
const { db } = service
const admin = await service.admin()
await admin.post('/api/admin/import')
const source = await createSource(db)
const editor = await createEditor(service, source)

/** A learner whose browser was last used in this language */
async function learner(language_used: 'de' | 'en', language: 'de' | 'en' | null = null) {
  const caller = await service.member()
  await db.updateTable('users').set({ language, language_used }).where('id', '=', caller.id).execute()
  const headers = { 'accept-language': language_used }
  return {
    id: caller.id,
    /** Slugs of the decks of the queue */
    active: async (): Promise<string[]> => {
      const { decks } = (await caller.get('/api/review/decks', { headers })).body
      return decks
        .filter((deck: { active: boolean }) => deck.active)
        .map((deck: { slug: string }) => deck.slug)
        .sort()
    },
    switch: async (slug: string, active: boolean) => {
      t.equal((await caller.send({ method: 'PUT', url: `/api/review/decks/${slug}`, payload: { active } })).status, 200)
    },
  }
}

async function rate(userId: number, deckId: number, count: number) {
  const cards = await db.selectFrom('cards').select('id').where('deck_id', '=', deckId).limit(count).execute()
  for (const { id } of cards) {
    await createProgress(db, { user_id: userId, card_id: id, last_rating: 'hard', next_review: '2026-11-20' })
  }
}

const addDeck = async (lang: string, visibility: 'active' | 'offered' = 'active') => {
  const slug = await writeDeck(editor, source, { lang, visibility })
  for (let card = 0; card < 3; card++) await writeCard(editor, slug)
  const { id } = await db.selectFrom('decks').select('id').where('slug', '=', slug).executeTakeFirstOrThrow()
  return { slug, id }
}
const join = async (variant: { slug: string }, original: { slug: string }) => {
  const { status } = await editor.patch(`/api/content/decks/${variant.slug}`, { translation_of: original.slug })
  t.equal(status, 200)
}
t.afterEach(async () => {
  await db.deleteFrom('decks').where('slug', '<>', 'sicher').execute()
})

t.test('learners without a set language go on with the variant that they know best', async (t) => {
  const [german, english] = [await addDeck('de'), await addDeck('en')]
  // One after the other, because the choices are compared in the order of the ids.
  const [begun, both, choice] = [await learner('en'), await learner('en'), await learner('de')]
  const [set, fresh] = [await learner('en', 'en'), await learner('en')]
  await rate(begun.id, german.id, 1)
  await rate(both.id, german.id, 1)
  await rate(both.id, english.id, 2)
  await rate(choice.id, english.id, 1)
  await rate(set.id, german.id, 3)
  await join(english, german)
  t.strictSame(await begun.active(), [german.slug, 'sicher'].sort())
  for (const one of [both, choice, set, fresh]) t.strictSame(await one.active(), [english.slug, 'sicher'].sort())
  t.strictSame(
    await db.selectFrom('chosen_languages').select(['user_id', 'lang']).orderBy('user_id').execute(),
    [
      { user_id: begun.id, lang: 'de' },
      { user_id: choice.id, lang: 'en' },
    ],
    'a choice is stored only where the language would change it',
  )
})

t.test('a variant that is studied activates its group', async (t) => {
  const [german, english] = [await addDeck('de', 'offered'), await addDeck('en', 'offered')]
  const [chosen, idle, left, away] = await Promise.all([learner('en'), learner('en'), learner('en'), learner('en')])
  await chosen.switch(english.slug, true)
  await rate(idle.id, english.id, 1)
  await left.switch(english.slug, true)
  await rate(left.id, english.id, 1)
  await left.switch(english.slug, false)
  await away.switch(english.slug, true)
  await away.switch(german.slug, false)
  await join(english, german)
  for (const one of [chosen, away]) t.strictSame(await one.active(), [english.slug, 'sicher'].sort())
  for (const one of [idle, left]) t.strictSame(await one.active(), ['sicher'], 'it was not active before')
})

t.test('an import that adds a variant keeps the deck of learners who have begun', async (t) => {
  const begun = await learner('en')
  const { id } = await db.selectFrom('decks').select('id').where('slug', '=', 'sicher').executeTakeFirstOrThrow()
  await rate(begun.id, id, 1)
  const front = { lang: 'en', translation_of: 'sicher' }
  await changeFiles(folder, { 'decks/safe.md': deckFile('Safe', [{ id: 'eins' }, { id: 'zwei' }], front) })
  t.equal((await admin.post('/api/admin/import')).status, 200)
  t.strictSame(await begun.active(), ['sicher'])
  t.strictSame(await (await learner('en')).active(), ['safe'])
})
