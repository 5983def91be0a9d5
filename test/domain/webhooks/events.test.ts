import t from 'tap'
import {
  bodyOf,
  type EventData,
  type EventType,
  personsOf,
  WEBHOOK_EVENTS,
} from '../../../src/domain/webhooks/events.js'
import { teamsMessage } from '../../../src/domain/webhooks/teams-card.js'

const CREATED = new Date('2026-12-01T10:00:00Z')
const person = { id: 7, external_id: 'P-7' }
const occurrence = { id: 90, period: '2026-12-01', due_on: '2026-12-31' }
const assignment = { id: 3, title: 'Brandschutz [hier](https://evil.example)', mandatory: true }
const proof = { id: 5, code: 'ABCD-EFGH', completed_on: '2026-12-05', valid_until: null }

const DATA: Record<EventType, EventData> = {
  'assignment.assigned': { occurrence, assignment, person },
  'assignment.completed': { occurrence: { ...occurrence, completed_on: '2026-12-05' }, assignment, person },
  'assignment.overdue': { day: '2027-01-01', assignment, persons: 1, overdue: [{ person, occurrence }] },
  'proof.issued': {
    proof: { ...proof, replaces: 4 },
    occurrence: { id: 90, period: '2026-12-01' },
    assignment,
    person,
  },
  'proof.revoked': { proof: { ...proof, revoked_at: '2026-12-06T10:00:00.000Z' }, assignment, person },
  'account.disabled': { person, disabled_on: '2026-12-01' },
  'content.published': { content: { kind: 'deck', id: 1, slug: 'git', title: 'Git', version: null } },
  'report.created': { report: { id: 4 }, card: { id: 17 }, deck: { id: 1, slug: 'git', title: 'Git' } },
  'webhook.test': {},
}

const TYPES = Object.keys(DATA) as EventType[]
const event = (type: EventType) => ({ message_id: 'm', type, created_at: CREATED, data: DATA[type] })
const NAMES = new Map([[7, 'Erika Muster']])

t.test('a body contains neither names nor codes, unless the webhook includes names', async (t) => {
  for (const type of TYPES) {
    const body = bodyOf(event(type), undefined)
    t.match(body, { type, timestamp: '2026-12-01T10:00:00.000Z' })
    t.notMatch(JSON.stringify(body), /"name"|"code"|ABCD/, type)
  }
  t.strictSame(bodyOf(event('account.disabled'), NAMES).data.person, { ...person, name: 'Erika Muster' })
  t.strictSame(bodyOf(event('assignment.overdue'), NAMES).data.overdue?.[0]?.person.name, 'Erika Muster')
  t.equal(bodyOf(event('proof.issued'), NAMES).data.proof?.code, 'ABCD-EFGH')
  t.strictSame(bodyOf(event('account.disabled'), new Map()).data.person, { ...person, name: null }, 'a deleted account')
  t.strictSame(personsOf(DATA['assignment.overdue']), [7])
  t.strictSame(personsOf(DATA['report.created']), [])
})

t.test('a card for Teams has the envelope of workflows, in the language of the service', async (t) => {
  for (const type of TYPES) {
    for (const language of ['de', 'en'] as const) {
      const message = teamsMessage(bodyOf(event(type), undefined), language, 'https://training.example.org/')
      t.match(message, {
        type: 'message',
        attachments: [
          {
            contentType: 'application/vnd.microsoft.card.adaptive',
            contentUrl: null,
            content: { type: 'AdaptiveCard', version: '1.4', actions: [{ type: 'Action.OpenUrl' }] },
          },
        ],
      })
      const { content } = (message as { attachments: [{ content: { body: { type: string; text?: string }[] } }] })
        .attachments[0]
      t.ok(content.body.length > 1, `${type} ${language}`)
      for (const block of content.body.slice(1)) t.equal(block.type, 'RichTextBlock', 'does not interpret Markdown')
    }
  }
  const german = JSON.stringify(teamsMessage(bodyOf(event('assignment.assigned'), NAMES), 'de', undefined))
  t.match(german, /Neue Aufgabe zugeteilt.*Erika Muster.*31\. Dezember 2026/)
  t.match(german, /"actions":\[\]/)
  t.match(JSON.stringify(teamsMessage(bodyOf(event('assignment.assigned'), undefined), 'en', undefined)), /P-7/)
})

t.test('a card with many overdue persons stays below the limit of Teams', async (t) => {
  const overdue = Array.from({ length: 500 }, (_, id) => ({ person: { id, external_id: null }, occurrence }))
  const names = new Map(overdue.map(({ person: { id } }) => [id, `Erika ${'x'.repeat(100)} ${id}`]))
  const data = { day: '2027-01-01', assignment: { ...assignment, title: 'x'.repeat(1_000) }, persons: 500, overdue }
  const body = bodyOf({ message_id: 'm', type: 'assignment.overdue', created_at: CREATED, data }, names)
  t.ok(JSON.stringify(teamsMessage(body, 'de', undefined)).length < 28 * 1_024)
})

t.test('there is an example of each event', async (t) => {
  t.strictSame([...WEBHOOK_EVENTS, 'webhook.test'].sort(), TYPES.sort())
})
