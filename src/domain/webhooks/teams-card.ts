import type { Language } from '../text/language.js'
import { shorten } from '../text/text.js'
import type { EventBody, EventPerson } from './events.js'
import { CARD_WORDS } from './words.js'

/** Maximum number of names in a card about overdue tasks, and of characters of a text: Teams accepts 28 kB */
const MAX_NAMES = 20
const MAX_TEXT = 200

interface Fact {
  label: string
  text: string
}

/**
 * Returns the message with an Adaptive Card that a workflow of Microsoft Teams posts.
 * @param publicUrl public address of the service for the button; undefined for a card without one
 */
export function teamsMessage(body: EventBody, language: Language, publicUrl: string | undefined): object {
  const words = CARD_WORDS[language]
  const heading = { type: 'TextBlock', text: words.titles[body.type], weight: 'Bolder', size: 'Medium', wrap: true }
  const actions = publicUrl === undefined ? [] : [{ type: 'Action.OpenUrl', title: words.open, url: publicUrl }]
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [heading, ...factsOf(body, language).map(toLine)],
    actions,
  }
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
  }
}

/** Returns a line of plain text. A `TextBlock` would interpret Markdown, such as a link in the title of a task. */
function toLine({ label, text }: Fact) {
  const inlines = [
    ...(label === '' ? [] : [{ type: 'TextRun', text: `${label}: `, weight: 'Bolder' }]),
    { type: 'TextRun', text: shorten(text, MAX_TEXT) },
  ]
  return { type: 'RichTextBlock', spacing: 'Small', inlines }
}

function factsOf({ type, data }: EventBody, language: Language): Fact[] {
  const words = CARD_WORDS[language]
  const { person, occurrence, assignment, day, persons, overdue, proof, disabled_on, content, deck } = data
  const facts: (Fact | false | undefined)[] = [
    type === 'webhook.test' && { label: '', text: words.test },
    content && { label: words.kinds[content.kind], text: content.title },
    assignment && { label: words.assignment, text: assignment.title },
    person && { label: words.person, text: showPerson(person, language) },
    occurrence?.completed_on === undefined
      ? occurrence?.due_on !== undefined && { label: words.due, text: words.date(occurrence.due_on) }
      : { label: words.completed, text: words.date(occurrence.completed_on) },
    proof && { label: words.completed, text: words.date(proof.completed_on) },
    proof && proof.valid_until !== null && { label: words.validUntil, text: words.date(proof.valid_until) },
    disabled_on !== undefined && { label: words.disabled, text: words.date(disabled_on) },
    deck && { label: words.deck, text: deck.title },
    persons !== undefined && { label: words.persons, text: String(persons) },
    overdue && { label: words.names, text: showNames(overdue, language) },
    day !== undefined && { label: words.day, text: words.date(day) },
  ]
  return facts.filter((fact) => fact !== undefined && fact !== false && fact.text !== '') as Fact[]
}

function showNames(overdue: readonly { person: EventPerson }[], language: Language): string {
  const names = overdue.flatMap(({ person }) => person.name ?? [])
  const rest = names.length - MAX_NAMES
  const more = rest > 0 ? ` ${CARD_WORDS[language].more(rest)}` : ''
  return shorten(names.slice(0, MAX_NAMES).join(', '), MAX_TEXT - more.length) + more
}

function showPerson({ id, external_id, name }: EventPerson, language: Language): string {
  return name ?? external_id ?? CARD_WORDS[language].id(id)
}
