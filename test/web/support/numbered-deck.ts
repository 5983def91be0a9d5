import { deckFile } from '../../support/content.js'

/** Returns a deck with predictable answers: „Frage 3“ has „Antwort 3“. */
export function numberedDeck(name: string, from: number, to: number, description = `Das Deck ${name}`): string {
  const cards = Array.from({ length: to - from + 1 }, (_, at) => ({
    id: `karte-${from + at}`,
    question: `Frage ${from + at}: was tut \`befehl-${from + at}\`?`,
    answer: `Antwort ${from + at}`,
  }))
  return deckFile(name, cards, { description })
}
