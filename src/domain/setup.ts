import { Refusal } from './refusal.js'

/** Steps of the setup of a new service, in the order in which administrators see them */
export const SETUP_STEPS = [
  'password',
  'company',
  'people',
  'teams',
  'mail',
  'time_zone',
  'public_url',
  'content',
  'assignment',
  'backup',
] as const

export type SetupStep = (typeof SETUP_STEPS)[number]

export const SETUP_STEP_NOT_FOUND = new Refusal(
  'not_found',
  'setup_step_not_found',
  'Diesen Schritt der Einrichtung gibt es nicht',
)

/** Settings that are steps of the setup */
export interface SetupSettings {
  companyName: string | undefined
  mail: object | undefined
  publicUrl: string | undefined
  isTimeZoneSet: boolean
}

/** Returns which of the steps that are settings are done. */
export function settingsDone({ companyName, mail, publicUrl, isTimeZoneSet }: SetupSettings) {
  return {
    company: companyName !== undefined,
    // Mails contain links, so without a public address none is sent.
    mail: mail !== undefined && publicUrl !== undefined,
    time_zone: isTimeZoneSet,
    public_url: publicUrl !== undefined,
  }
}
