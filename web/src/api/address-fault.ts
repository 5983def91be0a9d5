import { isRefused, sentenceOf } from './faults.js'

/** Returns why a request with a mail address failed: the service refuses only addresses as invalid. */
export const addressFault = (error: unknown): string =>
  isRefused(error, 400) ? 'Das ist keine E-Mail-Adresse. Sie sieht aus wie erika@example.org.' : sentenceOf(error)
