export interface AppPage {
  /** Path below the base path */
  path: string
  /** Name of the screenshot, also used in messages */
  name: string
  /** Selector of the content to wait for; default: the heading */
  ready?: string
  isAdmin?: boolean
}

/** Pages of the app; some of them need the data of `writeAll`. */
export const PAGES: AppPage[] = [
  { path: '', name: 'heute', ready: 'text=Jetzt lernen' },
  { path: 'lernen', name: 'lernen', ready: 'text=Antwort zeigen' },
  { path: 'decks', name: 'decks', ready: 'text=Mitlernen' },
  { path: 'decks/git', name: 'deck', ready: 'text=Staging Area' },
  { path: 'karten/1', name: 'karte', ready: 'text=Wenn du sie jetzt bewertest' },
  { path: 'quiz', name: 'quiz', ready: 'text=Quiz beginnen' },
  { path: 'tests', name: 'tests', ready: 'main h2' },
  { path: 'spickzettel', name: 'spickzettel', ready: 'text=PostgreSQL' },
  { path: 'spickzettel/git-alltag', name: 'spickzettel-seite', ready: '.markdown h2' },
  { path: 'aufgaben', name: 'aufgaben', ready: 'main h2' },
  { path: 'aufgaben/nachweise', name: 'aufgaben-nachweise', ready: 'main h2, main li' },
  {
    path: 'spickzettel/git-alltag?aufgabe=1&teil=0',
    name: 'spickzettel-aufgabe',
    ready: 'article aside .notice, article aside button',
  },
  { path: 'suche?q=rebase', name: 'suche', ready: 'mark' },
  { path: 'statistik', name: 'statistik', ready: 'svg[role], figure' },
  { path: 'verlauf', name: 'verlauf', ready: 'main h2' },
  { path: 'einstellungen', name: 'einstellungen', ready: 'text=Speichern' },
  { path: 'konto', name: 'konto', ready: 'text=dieses Gerät' },
  { path: 'hilfe', name: 'hilfe' },
  { path: 'meldungen', name: 'meldungen', ready: 'h2' },
  { path: 'teams', name: 'teams', ready: 'main td', isAdmin: true },
  { path: 'teams/1', name: 'team', ready: 'main li', isAdmin: true },
  { path: 'aufgaben/vergeben', name: 'vergeben', ready: 'main td', isAdmin: true },
  { path: 'aufgaben/vergeben/4', name: 'vergeben-aufgabe', ready: 'main dl', isAdmin: true },
  { path: 'aufgaben/vergeben/4/aendern', name: 'vergeben-aendern', ready: 'main form', isAdmin: true },
  { path: 'aufgaben/vergeben/neu', name: 'vergeben-neu', ready: 'main form', isAdmin: true },
  { path: 'verwaltung', name: 'verwaltung', ready: 'text=Datenbank', isAdmin: true },
  { path: 'verwaltung/benutzer', name: 'verwaltung-benutzer', ready: 'main table td', isAdmin: true },
  { path: 'verwaltung/benutzer/1', name: 'verwaltung-ein-benutzer', ready: 'text=Passwort', isAdmin: true },
  { path: 'verwaltung/benutzer/import', name: 'verwaltung-viele', ready: 'textarea', isAdmin: true },
  { path: 'inhalte', name: 'inhalte', ready: 'main table td', isAdmin: true },
  { path: 'inhalte/ordner', name: 'inhalte-ordner', ready: 'text=prüfen', isAdmin: true },
  { path: 'inhalte/hochladen', name: 'inhalte-hochladen', ready: 'textarea', isAdmin: true },
  { path: 'inhalte/meldungen', name: 'inhalte-meldungen', ready: 'h2', isAdmin: true },
  { path: 'inhalte/decks/git', name: 'inhalte-ordner-deck', ready: 'main li a', isAdmin: true },
  { path: 'inhalte/decks/netzwerk', name: 'inhalte-deck', ready: 'main li a', isAdmin: true },
  { path: 'inhalte/decks/netzwerk?karte=neu', name: 'inhalte-karte-neu', ready: 'textarea', isAdmin: true },
  { path: 'inhalte/decks/netzwerk?ansicht=tabelle', name: 'inhalte-tabelle', ready: 'main td', isAdmin: true },
  { path: 'inhalte/spickzettel/netzwerk-kompakt', name: 'inhalte-spickzettel', ready: 'textarea', isAdmin: true },
  { path: 'inhalte/tests', name: 'inhalte-tests', ready: 'main td', isAdmin: true },
  { path: 'inhalte/tests/neu', name: 'inhalte-test-neu', ready: 'main fieldset', isAdmin: true },
  { path: 'inhalte/tests/osi', name: 'inhalte-test', ready: 'main fieldset', isAdmin: true },
  { path: 'inhalte/tests/osi/vorschau', name: 'inhalte-test-vorschau', ready: 'main fieldset', isAdmin: true },
  { path: 'inhalte/tests/osi/auswertung', name: 'inhalte-test-auswertung', ready: 'main section', isAdmin: true },
  { path: 'inhalte/quellen/1', name: 'inhalte-quelle', ready: 'main td', isAdmin: true },
  { path: 'inhalte/hilfe/fragen', name: 'inhalte-hilfe', ready: 'blockquote', isAdmin: true },
  { path: 'verwaltung/mails', name: 'verwaltung-mails', ready: 'text=Ausgang', isAdmin: true },
  { path: 'verwaltung/webhooks', name: 'verwaltung-webhooks', ready: 'text=Noch keine Webhooks', isAdmin: true },
  { path: 'verwaltung/nachweise', name: 'verwaltung-nachweise', isAdmin: true },
  { path: 'verwaltung/ablauf', name: 'verwaltung-ablauf', isAdmin: true },
  { path: 'verwaltung/protokoll', name: 'verwaltung-protokoll', ready: 'text=Benutzer', isAdmin: true },
  { path: 'verwaltung/datenschutz', name: 'verwaltung-datenschutz', ready: 'text=Tabellen ohne Bezug', isAdmin: true },
  { path: 'mail/bestaetigen#geheim', name: 'mail-bestaetigen', ready: 'text=Adresse bestätigen' },
  { path: 'mail/abbestellen#geheim', name: 'mail-abbestellen', ready: 'text=Abbestellen' },
  { path: 'gibt-es-nicht', name: 'nicht-gefunden', ready: 'h2' },
]
