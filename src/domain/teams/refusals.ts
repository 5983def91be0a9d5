import { Refusal } from '../refusal.js'

export const TEAM_NOT_FOUND = new Refusal('not_found', 'team_not_found', 'Dieses Team gibt es nicht')
export const TEAM_TAKEN = new Refusal(
  'conflict',
  'team_taken',
  'Ein Team mit diesem Namen oder dieser Gruppe gibt es schon',
)
export const TEAM_BY_SCIM = new Refusal(
  'conflict',
  'team_by_scim',
  'Dieses Team verwaltet der Anbieter über SCIM; es kann nicht auch eine Gruppe der Anmeldung haben',
  { field: 'external_group' },
)
export const NOT_A_LEAD = new Refusal(
  'forbidden',
  'not_a_lead',
  'Das sehen nur die Leitung des Teams und Administratoren',
)
export const MEMBER_BY_GROUP = new Refusal(
  'conflict',
  'member_by_group',
  'Diese Mitgliedschaft kommt vom Anbieter der Anmeldung und endet nur dort',
)
