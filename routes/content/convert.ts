import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { AUTHORS_ONLY } from '../../src/domain/accounts/refusals.js'
import { CONVERTING_TOO_LONG } from '../../src/domain/content/refusals.js'
import { TooManyAttempts } from '../../src/domain/refusal.js'
import { checkStorable } from '../../src/domain/text/parameters.js'
import { abortOnClose } from '../../src/http/abort-on-close.js'
import { SHUTDOWN_REFUSALS, TOO_LARGE } from '../../src/http/refusals.js'
import { responses } from '../../src/http/schemas.js'
import { convertToMarkdown } from '../../src/services/content/editing/convert.js'

const BODY_BYTES = 2 * 2 ** 20
/** Limit of texts per user; higher than the number of texts that a person can paste in ten seconds */
const PER_TEN_SECONDS = 20

const HtmlBody = Type.Object({ html: Type.String({ examples: ['<p>Ein <b>fetter</b> Absatz</p>'] }) })
const MarkdownResponse = Type.Object({ markdown: Type.String({ examples: ['Ein **fetter** Absatz'] }) })

const convert: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/convert',
    {
      onRequest: [app.requireAuthor, app.limitUser('convert', PER_TEN_SECONDS)],
      bodyLimit: BODY_BYTES,
      schema: {
        operationId: 'convertHtml',
        summary: 'Convert HTML to Markdown that shows the same text',
        description: `For text pasted from other programs. The answer contains no HTML; pictures are kept if the service
stores them, as \`media/<sha>.<extension>\`. A conversion that takes longer than two seconds is refused.`,
        tags: ['content'],
        body: HtmlBody,
        response: responses(MarkdownResponse, [
          ...[AUTHORS_ONLY, CONVERTING_TOO_LONG, TOO_LARGE, new TooManyAttempts(2), ...SHUTDOWN_REFUSALS],
        ]),
      },
    },
    async ({ body: { html }, user }, reply) => {
      checkStorable('html', html)
      const signal = AbortSignal.any([app.stopping, abortOnClose(reply)])
      return { markdown: await convertToMarkdown(html, { userId: user.id, signal }) }
    },
  )
}

export default convert
