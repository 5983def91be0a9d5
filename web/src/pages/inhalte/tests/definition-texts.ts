import { absoluteDay } from '../../../words/dates.js'
import { languageName } from '../../../words/languages.js'
import { ACCESS, labelOf, MULTIPLE, PAGES, REVIEW, WHEN } from './choices.js'
import type { TestFields } from './test-desk.js'
import type { Section } from './tests-api.js'
import { waitText } from './waits.js'

/** Returns a definition as labelled texts, to show it or to compare two versions. */
export function textsOf(fields: TestFields): { label: string; text: string }[] {
  const {
    name,
    description,
    introduction,
    lang,
    translation_of,
    pass_percent,
    attempts,
    wait_minutes,
    time_limit_minutes,
  } = fields
  const { shuffle, pages, multiple, access, review, review_when, opens, closes, sections } = fields
  return [
    { label: 'Name', text: name },
    { label: 'Beschreibung', text: description },
    { label: 'Einleitung', text: introduction },
    { label: 'Sprache', text: languageName(lang) },
    { label: 'Übersetzung von', text: translation_of },
    { label: 'Fragen', text: sections.map(sectionText).join('\n') },
    { label: 'Bestanden ab', text: `${pass_percent ?? 80} %` },
    { label: 'Versuche', text: attempts === null ? 'beliebig viele' : String(attempts) },
    { label: 'Pause zwischen zwei Versuchen', text: waitText(wait_minutes ?? 0) },
    { label: 'Zeit je Versuch', text: time_limit_minutes === null ? 'ohne Grenze' : `${time_limit_minutes} Minuten` },
    { label: 'Tage', text: daysText(opens, closes) },
    { label: 'Wer darf', text: labelOf(ACCESS, access) },
    { label: 'Aufteilung', text: labelOf(PAGES, pages) },
    { label: 'Mehrere richtige Antworten', text: labelOf(MULTIPLE, multiple) },
    { label: 'Mischen', text: shuffle ? 'ja' : 'nein' },
    { label: 'Nach dem Abgeben', text: labelOf(REVIEW, review) },
    { label: 'Wann', text: review === 'none' ? '' : labelOf(WHEN, review_when) },
  ]
}

function daysText(opens: string | null, closes: string | null): string {
  const days = [opens && `ab ${absoluteDay(opens)}`, closes && `bis ${absoluteDay(closes)}`].filter(Boolean)
  return days.join(' ') || 'ohne Grenze'
}

function sectionText({ deck, level, cards, draw }: Section): string {
  return [
    deck,
    level !== null && `Level ${level}`,
    cards !== null && `Karten ${cards.join(', ')}`,
    draw === null ? /* text */ 'alle' : `${draw} je Versuch`,
  ]
    .filter(Boolean)
    .join(', ')
}
