import { isRefused, sentenceOf } from './faults.js'

/** Returns the message for a failed request that contains an email address. A 400 means that the address is invalid. */
export const addressFault = (error: unknown): string =>
  isRefused(error, 400) ? 'Das ist keine E-Mail-Adresse. Sie sieht aus wie erika@example.org.' : sentenceOf(error)
