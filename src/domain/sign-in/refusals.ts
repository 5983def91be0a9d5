import { InvalidInput, Refusal, TemporaryRefusal } from '../refusal.js'

export const NO_PROVIDER = new Refusal(
  'not_found',
  'no_provider',
  'Es ist kein Anbieter für die Anmeldung eingerichtet',
)
export const WRONG_LOGOUT_TOKEN = new InvalidInput('Das Abmelde-Token gilt nicht', 'wrong_logout_token')
export const NAME_OF_PROVIDER = new Refusal(
  'forbidden',
  'name_of_provider',
  'Der Anzeigename kommt vom Anbieter der Anmeldung',
)
export const LAST_LOGIN_METHOD = new Refusal(
  'conflict',
  'last_way_in',
  'Ohne diesen Weg könnte sich niemand mehr anmelden',
)
export const IDENTITY_TAKEN = new Refusal(
  'conflict',
  'identity_taken',
  'Diese Anmeldung gehört hier schon zu einem anderen Konto',
  { field: 'subject' },
)
export const IDENTITY_EXISTS = new Refusal(
  'conflict',
  'identity_exists',
  'Mit diesem Konto ist schon eine andere Anmeldung desselben Anbieters verknüpft',
  { field: 'subject' },
)
export const IDENTITY_NEEDED = new Refusal(
  'conflict',
  'identity_needed',
  'Diese Verknüpfung lösen nur Administratoren, weil der Anbieter Personen hier regelmäßig bestätigt',
)
export const NOTHING_TO_LINK = new Refusal(
  'conflict',
  'nothing_to_link',
  'Es wartet keine Anmeldung auf ihre Verknüpfung; bitte noch einmal verknüpfen',
  { field: 'subject' },
)

export class ProviderUnreachable extends TemporaryRefusal {
  constructor() {
    super('unavailable', 'provider_unreachable', 'Der Anbieter der Anmeldung ist gerade nicht zu erreichen', 10)
  }
}
