import { InvalidField, InvalidInput, Refusal } from '../refusal.js'

export const ASSIGNMENT_NOT_FOUND = new Refusal('not_found', 'assignment_not_found', 'Diese Aufgabe gibt es nicht')
export const OCCURRENCE_NOT_FOUND = new Refusal('not_found', 'occurrence_not_found', 'Diese Aufgabe hast du nicht')
export const MAY_NOT_ASSIGN = new Refusal(
  'forbidden',
  'may_not_assign',
  'Aufgaben geben nur Administratoren und Autoren',
)
export const NOT_YOUR_ASSIGNMENT = new Refusal(
  'forbidden',
  'not_your_assignment',
  'Diese Aufgabe ändern nur Administratoren und wer sie angelegt hat',
)
export const NOT_YOUR_TEAM = new Refusal(
  'forbidden',
  'not_your_team',
  'Als Autor gibst du Aufgaben nur den Teams, die du leitest',
)
export const NOT_AN_OVERSEER = new Refusal(
  'forbidden',
  'not_an_overseer',
  'Das sehen nur die verantwortliche Person und die Leitung des Teams',
)
export const NOT_RESPONSIBLE = new Refusal(
  'forbidden',
  'not_responsible',
  'Das entscheidet nur die verantwortliche Person der Aufgabe',
)
export const PARTS_IN_USE = new Refusal(
  'conflict',
  'parts_in_use',
  'Von dieser Aufgabe ist schon etwas erledigt, deshalb bleiben ihre Teile; lege eine neue an',
)
/** An assignment names the original, so that each person gets the own language. */
export class PartIsVariant extends InvalidInput {
  constructor(index: number, slug: string, original: string) {
    const message = `„${slug}“ ist eine Variante; nimm das Original „${original}“, dann bekommt es jede Person in ihrer Sprache`
    super(message, 'part_is_variant', { field: `parts/${index}/slug`, details: { original } })
  }
}

export const OCCURRENCE_CLOSED = new Refusal('conflict', 'occurrence_closed', 'Diese Aufgabe ist nicht mehr offen')
export const OCCURRENCE_NOT_MISSED = new Refusal(
  'conflict',
  'occurrence_not_missed',
  'Wieder öffnen lässt sich nur, was verpasst wurde',
)
export const SHEET_CHANGED = new Refusal(
  'conflict',
  'sheet_changed',
  'Der Spickzettel wurde geändert, seit du ihn geöffnet hast; bitte lies ihn noch einmal',
  { field: 'version' },
)
export const LIST_TOO_LONG = new Refusal(
  'conflict',
  'list_too_long',
  'Eine Liste fasst höchstens 1.000 Fristen; grenze sie mit dem Stand ein',
)
export const PART_NOT_OPEN_YET = new Refusal(
  'conflict',
  'part_not_open_yet',
  'Dieser Teil kommt erst, wenn die Teile davor erledigt sind',
)
export const NO_SUCH_PART = new InvalidInput('Diesen Teil hat die Aufgabe nicht', 'no_such_part')
export const PERSON_NOT_FOUND = new InvalidInput('Eine der Personen gibt es nicht', 'person_not_found')
export const AUDIENCE_TEAM_NOT_FOUND = new InvalidInput('Eines der Teams gibt es nicht', 'audience_team_not_found')
export const OWN_PERSONAL_PART = new Refusal(
  'forbidden',
  'own_personal_part',
  'Deinen eigenen persönlichen Teil bestätigt eine andere Person',
)
export const OWN_OCCURRENCE = new Refusal(
  'forbidden',
  'own_occurrence',
  'Über deine eigene Aufgabe entscheidest du nicht selbst; mach zuerst eine andere Person verantwortlich',
)
export const HELD_TOO_EARLY = new InvalidField('held_on', 'muss zwischen dem Beginn der Aufgabe und heute liegen', {
  code: 'held_too_early',
})
