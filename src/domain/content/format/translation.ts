import { DEFAULT_LANGUAGE, toLanguage } from '../translations.js'
import type { ReportFault, Translation } from '../types.js'
import { type Fields, readTextField } from './front-matter.js'

/** Keys of the front matter of decks, sheets and tests that `readTranslation` reads */
export const TRANSLATION_KEYS = ['lang', 'translation_of'] as const

/** Reads the language and the slug of the original. Reports a fault for a tag that names no language. */
export function readTranslation(file: string, fields: Fields, report: ReportFault): Translation {
  const original = readTextField(fields, 'translation_of', report)
  const [lang, variant] = [fields.get('lang')?.line, fields.get('translation_of')?.line]
  const lines = { lang: lang ?? variant ?? 1, translation_of: variant ?? lang ?? 1 }
  const translation_of = original?.normalize('NFC').trim() ?? null
  return { lang: readLanguage(fields, report), translation_of, file, lines }
}

function readLanguage(fields: Fields, report: ReportFault): string {
  const field = fields.get('lang')
  if (field === undefined || field.value === undefined) return DEFAULT_LANGUAGE
  const lang = toLanguage(field.text)
  if (lang === undefined) report(field.line, '„lang“ muss ein Kürzel für eine Sprache sein, etwa de oder en')
  return lang ?? DEFAULT_LANGUAGE
}

/** Returns the keys of front matter that `readTranslation` reads; none for an original in the default language. */
export function writeTranslation({ lang, translation_of }: Partial<Translation>): Record<string, string> {
  return {
    ...(lang !== undefined && lang !== DEFAULT_LANGUAGE && { lang }),
    ...(translation_of != null && { translation_of }),
  }
}
