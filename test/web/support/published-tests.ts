import type { App } from './app.js'
import { post } from './written.js'

/** A deck with one question of each form, in the order of the tests */
export const QUESTIONS = `---
name: Datenschutz
---
## Wann muss eine Datenpanne gemeldet werden?
<!-- id: panne; level: pflicht -->

### Antwort
Innerhalb von **72 Stunden** an die Aufsichtsbehörde (Art. 33 DSGVO).

- [x] Innerhalb von 72 Stunden
- [ ] Innerhalb von 24 Stunden
  > 24 Stunden gilt für die Frühwarnung nach NIS-2.
- [ ] Innerhalb von 7 Tagen

## Welche Rechte haben Betroffene?
<!-- id: rechte; level: pflicht -->

### Antwort
Auskunft und Löschung (Art. 15 und 17 DSGVO).

- [x] Auskunft
- [x] Löschung
- [ ] Rabatt
- [ ] Werbung auf Wunsch

## Wie heißt die oberste Behörde des Bundes, kurz?
<!-- id: behoerde; level: pflicht; form: text -->

### Antwort
BfDI

## Wie groß darf ein Anhang sein?
<!-- id: anhang; level: pflicht; form: number; unit: MB -->

### Antwort
1500

## In welcher Reihenfolge gehst du bei einer Datenpanne vor?
<!-- id: ablauf; level: pflicht; form: order -->

### Antwort
1. Vorfall melden
2. Ursache abstellen
3. Betroffene informieren

## Ergänze die Frist.
<!-- id: frist; level: pflicht; form: gaps -->

### Antwort
Nach {{72|zweiundsiebzig}} Stunden ist die {{Aufsichtsbehörde|Behörde}} informiert.
`

/** Definition of a test without shuffling, so that a test knows the order of its questions */
const DEFINITION = {
  description: 'Für alle mit Zugang zu **personenbezogenen** Daten',
  introduction: 'Nimm dir Zeit und lies jede Frage bis zum Ende.',
  shuffle: false,
  sections: [{ deck: 'datenschutz' }],
}

/** Publishes tests of the deck „Datenschutz“, one for each definition, as an administrator.. */
export async function publishTests(app: App, definitions: Record<string, Record<string, unknown>>): Promise<void> {
  const { source } = await post<{ source: { id: number } }>(app, '/api/content/sources', { name: 'Prüfungen' })
  for (const [slug, definition] of Object.entries(definitions)) {
    const test = { source_id: source.id, name: slug, ...DEFINITION, ...definition }
    await post(app, `/api/content/tests/${slug}`, test, 'PUT')
    await post(app, `/api/content/tests/${slug}/publish`, {})
  }
}
