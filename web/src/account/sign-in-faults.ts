/** Messages for failed sign-ins through the identity provider, by the code in `?fehler=` */
export const SENTENCES = {
  nicht_eingerichtet: 'Diese Anmeldung ist hier nicht eingerichtet. Bitte nimm einen anderen Weg.',
  nicht_erreichbar:
    'Der Anbieter der Anmeldung ist gerade nicht zu erreichen. Versuch es gleich noch einmal, oder melde dich mit deinem Passwort an, wenn du eines hast.',
  abgelaufen: 'Die Anmeldung hat zu lange gedauert oder war schon vorbei. Bitte fang noch einmal an.',
  abgebrochen: 'Die Anmeldung wurde abgebrochen. Du kannst sie jederzeit neu beginnen.',
  anbieter:
    'Beim Anbieter der Anmeldung ist etwas schiefgegangen. Versuch es noch einmal; bleibt es dabei, hilft eure Administration.',
  ungueltig:
    'Der Antwort des Anbieters war nicht zu trauen, deshalb wurde niemand angemeldet. Versuch es noch einmal; bleibt es dabei, sag es bitte eurer Administration.',
  kein_name: 'Der Anbieter hat keinen Benutzernamen für dich genannt. Bitte wende dich an eure Administration.',
  name_ungueltig:
    'Dein Benutzername beim Anbieter ist zu lang oder enthält Zeichen, die hier nicht gehen. Bitte wende dich an eure Administration.',
  name_vergeben:
    'Ein Konto mit deinem Benutzernamen gibt es hier schon. Hast du dafür ein Passwort, melde dich damit an und verknüpfe es unter „Konto“; sonst gibt es eure Administration für dich frei.',
  nicht_angelegt: 'Für dich gibt es hier noch kein Konto. Eure Administration kann eines anlegen.',
  nicht_angemeldet: 'Dafür musst du angemeldet sein. Bitte melde dich an und versuch es dann noch einmal.',
  erneut_anmelden:
    'Deine Anmeldung ist dafür schon zu lange her. Bitte verknüpfe noch einmal und bestätige, dass du es bist.',
  schon_verknuepft:
    'Diese Anmeldung gehört hier schon zu einem anderen Konto. Melde dich dort an und trenne sie zuerst.',
  andere_person:
    'Beim Anbieter hat sich jemand anderes angemeldet. Bestätige bitte mit der Anmeldung, die zu diesem Konto gehört.',
  nicht_bestaetigt:
    'Der Anbieter hat nicht noch einmal gefragt, wer du bist. Melde dich dort ab und versuch es noch einmal, oder nimm einen anderen Weg.',
  zu_viele: 'Gerade melden sich hier sehr viele auf einmal an. Bitte versuch es in ein paar Sekunden noch einmal.',
  gestoert: 'Das hat gerade nicht geklappt; der Fehler liegt beim Dienst. Bitte versuch es gleich noch einmal.',
} as const

export function sentenceForCode(code: string): string {
  return Object.hasOwn(SENTENCES, code)
    ? SENTENCES[code as keyof typeof SENTENCES]
    : 'Die Anmeldung hat nicht geklappt. Bitte versuch es noch einmal.'
}
