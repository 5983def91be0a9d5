import { hash } from 'node:crypto'
import { isStorable } from '../../text/text.js'
import { CARD_PARTS, EMPTY_TEXTS } from '../card-texts.js'
import type { Upload, UploadCard, UploadDeck } from '../plan/types.js'
import { DEFAULT_LANGUAGE } from '../translations.js'
import type { Identity, Incoming, IncomingCard, IncomingDeck } from './incoming.js'

const ID = /^[a-z0-9-]{1,64}$/
/** Maximum size of a stored guid; longer guids are not stored. */
const MAX_GUID_BYTES = 1_000

export function keyUpload({ kind, decks, sheets }: Incoming): Upload {
  return {
    kind,
    decks: decks.map((deck) => keyDeck(kind, deck)),
    sheets: sheets.map((sheet) => ({ ...sheet, source_key: sheet.slug })),
  }
}

function keyDeck(kind: Incoming['kind'], deck: IncomingDeck): UploadDeck {
  const { name, description, slug, sort_order } = deck
  const { tests_only = false, options_off = false, lang = DEFAULT_LANGUAGE, desired_retention = null } = deck
  return {
    file: deck.file ?? '',
    slug: slug ?? name,
    source_key: slug ?? name,
    aliases: [],
    name,
    description,
    sort_order: sort_order ?? 0,
    tests_only,
    options_off,
    lang,
    desired_retention,
    ...(deck.translation !== undefined && { translation: deck.translation }),
    wantedOrder: sort_order,
    isWhole: kind === 'archive',
    cards: deck.cards.map((card) => keyCard(kind, card)),
  }
}

function keyCard(kind: Incoming['kind'], card: IncomingCard): UploadCard {
  const { identity, draft = false, ...source } = card
  const isNote =
    identity.by === 'note' && isStorable(identity.guid) && Buffer.byteLength(identity.guid) <= MAX_GUID_BYTES
  return {
    ...EMPTY_TEXTS,
    ...source,
    key: keyOf(identity, source.question),
    aliases: [],
    draft,
    guid: isNote && identity.guid !== '' ? identity.guid : null,
    ord: isNote && identity.guid !== '' ? identity.ord : null,
    // Two decks of an archive may contain cards with the same key, as in the content folder, so a key identifies a card
    // only within its deck.
    isBound: identity.by === 'question' || kind === 'archive',
    isWhole: kind === 'archive',
    absent: kind === 'archive' ? [] : CARD_PARTS.filter((part) => card[part] === undefined),
  }
}

/**
 * Returns the key of a card, `[a-z0-9-]{1,64}`, which has the form of a card id in a deck file.
 * @example keyOf({ by: 'id', id: 'a-1' }, 'Frage') // 'a-1'
 */
export function keyOf(identity: Identity, question: string): string {
  if (identity.by === 'note') return `anki-${shortHash(`${identity.guid}\u001f${identity.ord}`)}`
  if (identity.by === 'question') return `frage-${shortHash(question)}`
  return ID.test(identity.id) ? identity.id : `id-${shortHash(identity.id)}`
}

function shortHash(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 24)
}
