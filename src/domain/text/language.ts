/** Languages of what the service writes for persons; content may have any other language */
export const LANGUAGES = ['de', 'en'] as const

export type Language = (typeof LANGUAGES)[number]
