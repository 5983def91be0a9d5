import { labelOf } from '../words/field-labels.js'
import { isolate } from '../words/isolate.js'

export interface Reason {
  code: string
  field: string | undefined
  details: Readonly<Record<string, unknown>>
}

/**
 * Sentences by error code. The build of another language fills them from its catalogue; in German, the app shows those
 * of the service.
 */
const SENTENCES: Readonly<Record<string, string>> = {}

/**
 * Returns the sentence for a refusal or a finding; undefined if there is none for its code, or if a value of the sentence
 * is unknown.
 * @example refusalSentence({ code: 'invalid_input', field: 'name', details: { maximum: 200 } })
 */
export function refusalSentence({ code, field, details }: Reason, sentences = SENTENCES): string | undefined {
  const kind = details.kind ?? ['minimum', 'maximum'].find((name) => details[name] !== undefined)
  const sentence = sentences[`${code} ${kind}`] ?? sentences[code]
  const values = { ...(field !== undefined && { label: labelOf(field) }), ...details }
  const places = [...(sentence ?? '').matchAll(/\{(\w+)\}/g)].map(([, name]) => name as keyof typeof values)
  if (sentence === undefined || places.some((name) => (values[name] ?? null) === null)) return undefined
  return sentence.replaceAll(/\{(\w+)\}/g, (_, name: keyof typeof values) => isolate(String(values[name])))
}
