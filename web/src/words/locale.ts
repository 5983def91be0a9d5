/** Locale of dates, numbers and sorting; a text like others, so that each language of the app names its own */
export const LOCALE = /* text */ 'de-DE'
