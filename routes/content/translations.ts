import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AUTHORS_ONLY, NOT_AN_EDITOR } from '../../src/domain/accounts/refusals.js'
import {
  CHEATSHEET_NOT_FOUND,
  DECK_NOT_FOUND,
  NOT_A_VARIANT,
  TEST_NOT_FOUND,
  VersionOutdated,
} from '../../src/domain/content/refusals.js'
import type { GroupKind } from '../../src/domain/content/translations.js'
import { toTestSlug } from '../../src/domain/tests/slug.js'
import { responses } from '../../src/http/schemas.js'
import {
  type Comparison,
  checkTranslation,
  compareWithOriginal,
  presentVersion,
} from '../../src/services/content/editing/check-translation.js'
import { copyMissingCards } from '../../src/services/content/editing/copy-cards.js'
import { describeExercise } from './cards.js'
import { EditedDeckParams } from './deck-schemas.js'
import { NOT_EDITABLE } from './decks.js'
import { SheetParams } from './sheet-schemas.js'
import { EditedTestParams } from './test-schemas.js'
import {
  CopiedCards,
  DeckCheck,
  DeckComparison,
  NumberedCheck,
  SheetComparison,
  TestComparison,
} from './translation-schemas.js'

const KINDS = [
  {
    kind: 'deck',
    path: '/decks',
    params: EditedDeckParams,
    response: DeckComparison,
    body: DeckCheck,
    notFound: DECK_NOT_FOUND,
    operation: 'Deck',
    item: 'a deck',
    outdated: '9f86d081884c7d65',
  },
  {
    kind: 'sheet',
    path: '/sheets',
    params: SheetParams,
    response: SheetComparison,
    body: NumberedCheck,
    notFound: CHEATSHEET_NOT_FOUND,
    operation: 'Sheet',
    item: 'a cheat sheet',
    outdated: 4,
  },
  {
    kind: 'test',
    path: '/tests',
    params: EditedTestParams,
    response: TestComparison,
    body: NumberedCheck,
    notFound: TEST_NOT_FOUND,
    operation: 'Test',
    item: 'a test',
    outdated: 4,
  },
] as const

const translations: FastifyPluginAsyncTypebox = async (app) => {
  for (const { kind, path, params, response, body, notFound, operation, item, outdated } of KINDS) {
    const refusals = [AUTHORS_ONLY, NOT_AN_EDITOR, notFound, NOT_A_VARIANT]
    app.get(
      `${path}/:slug/translation`,
      {
        onRequest: app.requireEditor(kind),
        config: { isExpensive: true },
        schema: {
          operationId: `compare${operation}`,
          summary: `What has changed in the original of ${item} since the variant was checked against it`,
          tags: ['content'],
          params,
          response: responses(response, refusals),
        },
      },
      async ({ params }) => {
        return { translation: present(kind, await compareWithOriginal(app.db, kind, slugOf(kind, params.slug))) }
      },
    )

    app.post(
      `${path}/:slug/checked`,
      {
        onRequest: app.requireEditor(kind),
        schema: {
          operationId: `check${operation}`,
          summary: `Note that ${item}, which is a variant, fits its original`,
          description: '`original_version` is the one that the caller has compared.',
          tags: ['content'],
          params,
          body,
          response: responses(response, [...refusals, new VersionOutdated(outdated, 'original_version')]),
        },
      },
      async ({ params, body }) => {
        const { original_version } = body as { original_version: string | number }
        const slug = slugOf(kind, params.slug)
        return { translation: present(kind, await checkTranslation(app.db, kind, slug, String(original_version))) }
      },
    )
  }

  app.post(
    '/decks/:slug/missing-cards',
    {
      onRequest: app.requireEditor('deck'),
      schema: {
        operationId: 'copyMissingCards',
        summary: 'Copy the cards of the original that a variant lacks',
        description: 'The copies are drafts with the same keys as the cards of the original, at the end of the deck.',
        tags: ['content'],
        params: EditedDeckParams,
        response: responses(CopiedCards, [
          ...[AUTHORS_ONLY, NOT_AN_EDITOR, DECK_NOT_FOUND, NOT_A_VARIANT, NOT_EDITABLE],
        ]),
      },
    },
    async ({ params, user }) => ({ copied: await copyMissingCards(app.db, user.id, params.slug) }),
  )
}

function slugOf(kind: GroupKind, slug: string): string {
  return kind === 'test' ? toTestSlug(slug) : slug
}

function present(kind: GroupKind, { outdated, original_version, cards, ...comparison }: Comparison) {
  const texts = (card: Comparison['cards'][number]['after']) => {
    if (card === null) return null
    const { exercise, ...rest } = card
    return { ...rest, ...describeExercise(exercise) }
  }
  return {
    ...comparison,
    original_version: presentVersion(kind, original_version) as never,
    translation_outdated: outdated,
    cards: cards.map(({ before, after, ...card }) => ({ ...card, before: texts(before), after: texts(after) })),
  }
}

export default translations
