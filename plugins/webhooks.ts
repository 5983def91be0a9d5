import fp from 'fastify-plugin'
import { type AddressRules, createAddressRules } from '../src/domain/webhooks/networks.js'
import { repeat } from '../src/services/jobs/repeat.js'
import { createSender } from '../src/services/webhooks/send.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** Which addresses webhooks may have */
    webhookRules: AddressRules
  }
}

interface WebhookOptions {
  intervalMs: number
}

/**
 * Sends events to other systems. Runs in every instance; a lease for each webhook lets only one instance send to it at a
 * time. Sends nothing while the date is simulated, because the service then runs on a copy of the data.
 */
export default fp<WebhookOptions>(
  async (app, { intervalMs }) => {
    const { webhookAllow, defaultLanguage, publicUrl, simulatedDate } = app.config
    const rules = createAddressRules(webhookAllow)
    app.decorate('webhookRules', rules)
    if (simulatedDate !== undefined) return
    const sender = createSender(app.db, {
      rules,
      defaultLanguage,
      publicUrl,
      onPaused: (facts) => app.log.warn(facts, 'webhook paused after failing for a day'),
      onError: (err, facts) => app.log.warn({ err, ...facts }, 'sending events failed'),
    })
    const run = async () => {
      try {
        await sender.run()
      } catch (err) {
        app.log.warn({ err }, 'looking for events to send failed')
      }
    }
    const sending = repeat(run, intervalMs)
    app.addHook('onClose', async () => {
      await Promise.all([sending.stop(), sender.stop()])
    })
  },
  { name: 'webhooks', dependencies: ['database', 'service'] },
)
