import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { findStoredSteps, listDismissedSteps, setStep } from '../../db/queries/setup.js'
import { ADMINS_ONLY } from '../../src/domain/accounts/refusals.js'
import { SETUP_STEP_NOT_FOUND, SETUP_STEPS, settingsDone } from '../../src/domain/setup.js'
import { unknownEndpoint } from '../../src/http/refusals.js'
import { Done, responses } from '../../src/http/schemas.js'

const Step = Type.Union(
  SETUP_STEPS.map((id) => Type.Literal(id)),
  { title: 'SetupStep' },
)

const Setup = Type.Object({
  steps: Type.Array(
    Type.Object({
      id: Step,
      done: Type.Boolean(),
      dismissed: Type.Boolean({ description: 'Whether an administrator does not want this step; for all of them.' }),
    }),
  ),
})

const StepParams = Type.Object({ id: Type.String({ examples: ['backup'] }) })

const DismissBody = Type.Object({ dismissed: Type.Boolean({ examples: [true] }) })

/** What is left to set up; for administrators */
const setup: FastifyPluginAsyncTypebox = async (app) => {
  app.setFallback(unknownEndpoint('Unbekannter Endpunkt der Einrichtung'))

  app.get(
    '/',
    {
      schema: {
        operationId: 'getSetup',
        summary: 'Steps of the setup of the service',
        description: 'The step `password` is about the caller, all others are about the service.',
        tags: ['setup'],
        response: responses(Setup, [ADMINS_ONLY]),
      },
    },
    async ({ user }) => {
      const done = { ...settingsDone(app.config), ...(await findStoredSteps(app.db, user.id)) }
      const dismissed = await listDismissedSteps(app.db)
      return { steps: SETUP_STEPS.map((id) => ({ id, done: done[id], dismissed: dismissed.has(id) })) }
    },
  )

  app.put(
    '/:id',
    {
      schema: {
        operationId: 'dismissSetupStep',
        summary: 'Dismiss a step of the setup, or take it up again',
        tags: ['setup'],
        params: StepParams,
        body: DismissBody,
        response: responses(Done, [ADMINS_ONLY, SETUP_STEP_NOT_FOUND]),
      },
    },
    async ({ params, body }) => {
      const id = SETUP_STEPS.find((step) => step === params.id)
      if (id === undefined) throw SETUP_STEP_NOT_FOUND
      await setStep(app.db, id, { dismissed: body.dismissed })
      return { ok: true as const }
    },
  )
}

export default setup
