import type { Kysely } from 'kysely'
import { findShownGroup, isShown, storeLanguage } from '../../../db/queries/content/preferred.js'
import type { Database } from '../../../db/types.js'
import type { Learner } from '../../domain/content/learner.js'
import { NO_VARIANTS, NOT_FOUND_BY_KIND, NoSuchVariant } from '../../domain/content/refusals.js'
import { type GroupKind, toLanguage } from '../../domain/content/translations.js'

/**
 * Stores the language in which the learner wants the group of an item, or deletes the choice if it is null. Returns the
 * variant that lists now show to the learner.
 * @throws Refusal (not found) if learners do not see the item
 * @throws NO_VARIANTS if the item has no variants
 * @throws NoSuchVariant if the group has no variant in the language
 */
export async function chooseLanguage(
  db: Kysely<Database>,
  learner: Learner,
  kind: GroupKind,
  slug: string,
  lang: string | null,
): Promise<{ slug: string; lang: string }> {
  const group = await findShownGroup(db, kind, slug, learner)
  const [first] = group
  if (first === undefined) throw (await isShown(db, kind, slug)) ? NO_VARIANTS : NOT_FOUND_BY_KIND[kind]
  const wanted = lang === null ? null : toLanguage(lang)
  if (wanted === undefined || (wanted !== null && !group.some((one) => one.lang === wanted))) {
    throw new NoSuchVariant(lang ?? '')
  }
  await storeLanguage(db, kind, learner.userId, first.original, wanted)
  const [shown = first] = await findShownGroup(db, kind, slug, learner)
  return { slug: shown.slug, lang: shown.lang }
}
