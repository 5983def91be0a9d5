import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listSheetLanguages } from '../../db/queries/content/preferred.js'
import {
  CHEATSHEET_NOT_FOUND,
  DECK_NOT_FOUND,
  NO_VARIANTS,
  NoSuchVariant,
  TEST_NOT_FOUND,
} from '../../src/domain/content/refusals.js'
import { learnerOf } from '../../src/http/learner.js'
import { unknownEndpoint } from '../../src/http/refusals.js'
import { responses } from '../../src/http/schemas.js'
import { chooseLanguage } from '../../src/services/content/choose-language.js'
import { ChoiceBody, ChoiceResponse, SheetLanguages, VariantParams } from './schemas.js'

const KINDS = [
  { path: 'decks', kind: 'deck', operationId: 'chooseDeckLanguage', notFound: DECK_NOT_FOUND },
  { path: 'sheets', kind: 'sheet', operationId: 'chooseSheetLanguage', notFound: CHEATSHEET_NOT_FOUND },
  { path: 'tests', kind: 'test', operationId: 'chooseTestLanguage', notFound: TEST_NOT_FOUND },
] as const

const DESCRIPTION = `Lists show the chosen variant, and of a deck only its cards are active in reviews. Progress on the
cards of another variant stays, and continues when that variant is chosen again.`

/** Refusal of a language that the group does not have, with an example */
const NO_SUCH_VARIANT = new NoSuchVariant('fr')

const variants: FastifyPluginAsyncTypebox = async (app) => {
  app.setFallback(unknownEndpoint('Unbekannter Varianten-Endpunkt'))

  app.get(
    '/sheets',
    {
      schema: {
        operationId: 'listSheetLanguages',
        summary: 'The sheets that are in a group or not in German, with the variant that lists show to the caller',
        description: 'Decks and tests say this in `GET /api/review/decks` and `GET /api/tests`.',
        tags: ['variants'],
        response: responses(SheetLanguages),
      },
    },
    async (request) => ({ sheets: await listSheetLanguages(app.db, learnerOf(request)) }),
  )

  for (const { path, kind, operationId, notFound } of KINDS) {
    app.put(
      `/${path}/:slug`,
      {
        schema: {
          operationId,
          summary: `Choose the language of a ${kind} that has variants, for the caller`,
          description: DESCRIPTION,
          tags: ['variants'],
          params: VariantParams,
          body: ChoiceBody,
          response: responses(ChoiceResponse, [notFound, NO_VARIANTS, NO_SUCH_VARIANT]),
        },
      },
      async (request) => chooseLanguage(app.db, learnerOf(request), kind, request.params.slug, request.body.lang),
    )
  }
}

export default variants
