import {
  DEFINITION_KEYS,
  type DefinitionInput,
  parseDefinition,
  SECTION_KEYS,
  SHARED_KEYS,
  type TestDefinition,
} from '../../tests/definition.js'
import { toTestSlug } from '../../tests/slug.js'
import type { Fault, ReportFault, SlugPlace, TestSource } from '../types.js'
import { decodeText } from './decode-text.js'
import { type Field, type Fields, type KnownKeys, readFlag, splitFrontMatter } from './front-matter.js'
import { readSlug } from './slug.js'
import { readTranslation, TRANSLATION_KEYS } from './translation.js'

const KEYS: KnownKeys = [
  'slug',
  ...DEFINITION_KEYS.filter((key) => key !== 'sections'),
  'draft',
  ...TRANSLATION_KEYS,
  { sections: SECTION_KEYS },
]
/** Keys whose value is read as a string, so that a name such as `2024` does not become a number */
const TEXTS = ['name', 'description', 'deck', 'level', 'opens', 'closes']

/**
 * Parses a test file: front matter and the introduction.
 * @param file path relative to the content folder, for faults and the default slug
 * @returns the test, or faults of the file; a valid `slug` is set even for a faulty test
 * @example
 * parseTest('tests/git.md', Buffer.from('---\nname: Git\nsections: [{ deck: git }]\n---\n')).test?.slug // 'git'
 */
export function parseTest(
  file: string,
  bytes: Uint8Array,
): { test?: TestSource; slug?: SlugPlace | undefined; faults: Fault[] } {
  const faults: Fault[] = []
  const report: ReportFault = (line, message) => faults.push({ file, line, message })
  const text = decodeText(bytes, report)
  const parts = text === undefined ? undefined : splitFrontMatter(text, KEYS, report)
  if (parts === undefined) return { faults }
  if (parts.fields === undefined) {
    if (parts.bodyLine === 1) report(1, 'Dem Test fehlt das Front Matter mit „name“ und „sections“')
    return { faults }
  }
  const { fields } = parts
  const found = readSlug(file, fields, [], report)
  const slug = found && { ...found, slug: toTestSlug(found.slug) }
  const draft = readFlag(fields, 'draft', report)
  const translation = readTranslation(file, fields, report)
  const isVariant = translation.translation_of !== null
  if (isVariant) refuseSettings(fields, report)
  const { definition, lines } = readDefinition(
    isVariant ? withoutSettings(fields) : fields,
    { text: parts.body, line: parts.bodyLine },
    faults,
    report,
  )
  if (faults.length > 0 || slug === undefined || definition === undefined) {
    return { slug, faults: faults.sort((a, b) => a.line - b.line) }
  }
  const test = { file, slug: slug.slug, definition, draft, ...lines, translation }
  if (!isVariant) return { test, slug, faults }
  const line = translation.lines.translation_of
  return { test: { ...test, definition: { ...definition, sections: [] }, line, sectionLines: [] }, slug, faults }
}

function refuseSettings(fields: Fields, report: ReportFault): void {
  for (const key of SHARED_KEYS) {
    const field = fields.get(key)
    if (field !== undefined)
      report(field.line, `„${key}“ steht im Original und gilt auch hier; in der Variante fehlt es`)
  }
}

/** Sections of a variant while its file is parsed; the import takes those of the original */
const NO_SECTIONS: Fields[] = [new Map([['deck', { value: 'original', text: 'original', line: 1 }]])]

function withoutSettings(fields: Fields): Fields {
  const kept = [...fields].filter(([key]) => !SHARED_KEYS.some((shared) => shared === key))
  return new Map([...kept, ['sections', { value: [], text: '', line: 1, entries: NO_SECTIONS }]])
}

function readDefinition(
  fields: Fields,
  introduction: { text: string; line: number },
  faults: readonly Fault[],
  report: ReportFault,
): { definition: TestDefinition | undefined; lines: Pick<TestSource, 'line' | 'sectionLines'> } {
  const sections = fields.get('sections')
  const entries = sections?.entries
  const sectionLines = (entries ?? []).map((entry) => Math.min(...[...entry.values()].map(({ line }) => line)))
  const lines = {
    line: sections?.line ?? 1,
    sectionLines: sectionLines.map((line) => (Number.isFinite(line) ? line : (sections?.line ?? 1))),
  }
  const input: DefinitionInput = {
    ...toInput(fields),
    introduction: introduction.text,
    ...(sections !== undefined && { sections: entries?.map(toInput) ?? inputOf('sections', sections) }),
  }
  // The fault of a field that could not be read has already been reported.
  const isReported = (line: number) => faults.some((fault) => fault.line === line)
  const definition = parseDefinition(input, (key, message, section) => {
    const place = section === undefined ? fields.get(key) : entries?.[section]?.get(key)
    const fallback = section === undefined ? 1 : lines.sectionLines[section]
    const line = key === 'introduction' ? introduction.line : (place?.line ?? fallback ?? 1)
    if (place === undefined || place.value !== undefined || place.list !== undefined || !isReported(line))
      report(line, message)
  })
  return { definition, lines }
}

function toInput(fields: Fields): Record<string, unknown> {
  return Object.fromEntries([...fields].map(([key, field]) => [key, inputOf(key, field)]))
}

function inputOf(key: string, { value, text, list, entries }: Field): unknown {
  if (entries !== undefined) return entries
  if (list !== undefined) return list
  return TEXTS.includes(key) && value !== null && value !== undefined ? text : value
}
