export interface AppPage {
  /** Below the base. */
  path: string
  /** For the screenshot's name. */
  name: string
  /** What must be there before it is looked at; its heading when absent. */
  ready?: string
  isAdmin?: boolean
}

/** Every page of the app; each is checked for accessibility and the policy in every look, and photographed. */
export const PAGES: AppPage[] = [
  { path: '', name: 'heute', ready: 'text=Jetzt lernen' },
  { path: 'lernen', name: 'lernen', ready: 'text=Antwort zeigen' },
  { path: 'decks', name: 'decks', ready: 'text=Mitlernen' },
  { path: 'decks/git', name: 'deck', ready: 'summary' },
  { path: 'karten/1', name: 'karte', ready: 'text=Dein Lernstand' },
  { path: 'quiz', name: 'quiz', ready: 'text=Quiz beginnen' },
  { path: 'einstellungen', name: 'einstellungen', ready: 'text=Speichern' },
  { path: 'konto', name: 'konto', ready: 'text=dieses Gerät' },
  { path: 'hilfe', name: 'hilfe' },
  { path: 'gibt-es-nicht', name: 'nicht-gefunden' },
]
