import { daysBetween, relativeDay } from './dates.js'
import { LOCALE } from './locale.js'
import { countOf } from './numbers.js'

const DAY = new Intl.DateTimeFormat(LOCALE, { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' })

/**
 * Returns a sentence that names the next day after today with due cards, or says for how many days no card becomes due.
 * Returns an empty string if the forecast contains no day after today.
 * @example nextDueText([{ day: '2026-11-22', due: 5 }], '2026-11-21') // 'Morgen werden 5 Karten fällig.'
 */
export function nextDueText(forecast: readonly { day: string; due: number }[], today: string): string {
  const coming = forecast.filter(({ day }) => day > today)
  const next = coming.find(({ due }) => due > 0)
  if (next === undefined) return coming.length === 0 ? '' : `In den nächsten ${coming.length} Tagen wird nichts fällig.`
  const verb = next.due === 1 ? /* text */ 'wird' : /* text */ 'werden'
  const cards = countOf(next.due, 'Karte', 'Karten')
  const when = relativeDay(next.day, today)
  if (daysBetween(today, next.day) === 1) return `Morgen ${verb} ${cards} fällig.`
  return `Als Nächstes ${verb} ${when} (${DAY.format(new Date(`${next.day}T12:00:00Z`))}) ${cards} fällig.`
}
