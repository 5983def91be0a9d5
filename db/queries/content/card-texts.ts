import { type RawBuilder, sql } from 'kysely'
import { CARD_TEXTS, type CardText } from '../../../src/domain/content/card-texts.js'
import { isStorable } from '../../../src/domain/text/text.js'

/**
 * Builds a list with one element for each text of a card, such as a list of columns.
 * @example sql`select id, ${listTexts((column) => sql`cards.${column}`)} from cards`
 */
export function listTexts(write: (column: RawBuilder<unknown>, name: CardText) => RawBuilder<unknown>) {
  return sql.join(CARD_TEXTS.map((name) => write(sql.ref(name), name)))
}

/** The texts of a card as columns of `cards` */
export const CARD_COLUMNS = listTexts((column) => sql`cards.${column}`)

/** Builds the condition that question or answer contains the text; no character of the text is a wildcard. */
export function containsText(text: string): RawBuilder<boolean> {
  if (!isStorable(text)) return sql`false`
  const folded = sql`(select fold_text(${text}::text))`
  return sql`(strpos(fold_text(question), ${folded}) > 0 or strpos(fold_text(answer), ${folded}) > 0)`
}
