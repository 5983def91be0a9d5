import t from 'tap'
import { findShownGroup, listOtherVariants } from '../../../db/queries/content/preferred.js'
import { pickVariant } from '../../../src/domain/text/language.js'
import { createMigratedDatabase } from '../../support/database.js'
import { createUser, unique } from '../../support/factories.js'
import fc, { runs } from '../../support/property.js'
import { createDeckIn } from '../../support/variants.js'

const database = await createMigratedDatabase()
const { db } = database
t.teardown(() => database.close())

const LANGUAGES = ['de', 'de-AT', 'en', 'en-GB', 'en-US', 'pt', 'pt-BR', 'zh-Hant'] as const
const tag = fc.constantFrom(...LANGUAGES)
const asked = fc.constantFrom('de', 'DE-ch', 'en', 'EN-us', 'fr', 'pt-PT', 'zh')

t.test('the statement prefers the variant that the rule picks', async (t) => {
  const user = await createUser(db)
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(tag, { minLength: 2, maxLength: 5 }),
      fc.array(asked, { maxLength: 4 }),
      fc.option(fc.nat(4)),
      async ([first, ...others], languages, choice) => {
        const original = await createDeckIn(db, first as string, unique('original'), [])
        const variants: { slug: string; lang: string }[] = []
        for (const lang of others.toSorted()) {
          const { slug } = await createDeckIn(db, lang, unique('variant'), ['eins'], original.id)
          variants.push({ slug, lang })
        }
        const group = [{ slug: original.slug, lang: first as string }, ...variants] as const
        const chosen = choice === null ? undefined : group[choice]?.lang
        if (chosen !== undefined) {
          const row = { user_id: user.id, deck_id: original.id, lang: chosen }
          await db.insertInto('chosen_languages').values(row).execute()
        }
        const [found] = await findShownGroup(db, 'deck', original.slug, { userId: user.id, languages })
        const wanted = [...(chosen === undefined ? [] : [chosen]), ...languages]
        t.equal(found?.slug, pickVariant<(typeof group)[number]>(group, wanted).slug, JSON.stringify({ group, wanted }))
        await db.deleteFrom('decks').execute()
      },
    ),
    { numRuns: runs(60) },
  )
})

t.test('a variant without cards does not replace the original', async (t) => {
  const user = await createUser(db)
  const original = await createDeckIn(db, 'de', unique('original'), ['eins'])
  await createDeckIn(db, 'en', unique('variant'), [], original.id)
  t.strictSame(await listOtherVariants(db, 'deck', { userId: user.id, languages: ['en'] }), [])
  const full = await createDeckIn(db, 'fr', unique('variant'), ['un'], original.id)
  t.strictSame(await listOtherVariants(db, 'deck', { userId: user.id, languages: ['en'] }), [full.id])
})
