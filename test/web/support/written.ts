import type { App } from './app.js'

/** A deck that can be written in, with its source and cards */
export interface Written {
  source: number
  deck: string
  cards: number[]
}

/** Creates a source with a deck, cards and a sheet, all editable. */
export async function writeSome(app: App, name = 'Netzwerk', cards = 3): Promise<Written> {
  const { source } = await post<{ source: { id: number } }>(app, '/api/content/sources', { name })
  const { deck } = await post<{ deck: { slug: string } }>(app, '/api/content/decks', { source_id: source.id, name })
  const ids: number[] = []
  for (let at = 1; at <= cards; at++) {
    const { card } = await post<{ card: { id: number } }>(app, '/api/content/cards', {
      ...{ deck: deck.slug, question: `Was macht Schicht ${at}?`, answer: `Sie trägt **Schicht ${at + 1}**.` },
      ...{ level: 'grundlagen', client_id: `${name}-${at}` },
    })
    ids.push(card.id)
  }
  const sheet = { title: `${name} kompakt`, category: name, content_md: `# ${name}\n\n## Schichten\n\nSieben.\n` }
  await post(app, '/api/content/sheets', { source_id: source.id, ...sheet, client_id: `${name}-sheet` })
  return { source: source.id, deck: deck.slug, cards: ids }
}

/** Sends a request as administrator. @throws for any other status than 200 */
export async function post<T>(app: App, path: string, body: object | undefined, method = 'POST'): Promise<T> {
  const answer = await app.asAdmin(method, path, body)
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as T
}
