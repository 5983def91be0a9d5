import { type GivenAssignment, parseAssignment } from '../../assignments/assignment.js'
import type { Due, Recurrence } from '../../assignments/schedule.js'
import { InvalidInput } from '../../refusal.js'
import type { Fault, ReportFault } from '../types.js'
import { decodeText } from './decode-text.js'
import { type Fields, type KnownKeys, readFlag, readInteger, readTextField, splitFrontMatter } from './front-matter.js'

const KEYS: KnownKeys = [
  ...[
    'title',
    'path',
    'starts_days',
    'ordered',
    'due_days',
    'every_months',
    'window_end',
    'opens_days_before',
    'mandatory',
    'retention_years',
  ],
  { parts: ['kind', 'slug', 'title', 'share_percent'] },
]
const DUE_DAYS = 30
const RETENTION_YEARS = 2

/** An assignment without audience and responsible user; the user who creates the assignment chooses these. */
export type AssignmentTemplate = Pick<
  GivenAssignment,
  'title' | 'description' | 'parts' | 'mandatory' | 'ordered' | 'retention_years'
> & {
  due: Exclude<Due, string>
  recurrence: Recurrence | null
  /** Start of an assignment for each person; undefined if the creator chooses it */
  starts?: { days_after_joining: number } | undefined
  /** Title of the template that consists of this and other assignments */
  path?: string | undefined
}

/**
 * Parses the file of an assignment template: front matter and the description for learners.
 * @param file path relative to the content folder, for faults
 * @returns the template with the lines of its parts, or faults of the file
 * @example
 * const source = '---\ntitle: Brand\nparts: [{ kind: sheet, slug: brand }]\n---\n'
 * parseTemplate('assignments/brand.md', Buffer.from(source)).template?.title // 'Brand'
 */
export function parseTemplate(
  file: string,
  bytes: Uint8Array,
): { template?: AssignmentTemplate; partLines?: number[]; faults: Fault[] } {
  const faults: Fault[] = []
  const report: ReportFault = (line, message) => faults.push({ file, line, message })
  const text = decodeText(bytes, report)
  const parts = text === undefined ? undefined : splitFrontMatter(text, KEYS, report)
  if (parts === undefined) return { faults }
  if (parts.fields === undefined) {
    if (parts.bodyLine === 1) report(1, 'Der Vorlage fehlt das Front Matter mit „title“ und „parts“')
    return { faults }
  }
  const given = readGiven(parts.fields, parts.body.trim(), report)
  if (faults.length > 0) return { faults }
  try {
    const path = readTextField(parts.fields, 'path', report)
    const template = parseAssignment(given) as AssignmentTemplate
    const partLines = (parts.fields.get('parts')?.entries ?? []).map(lineOf)
    return { template: { ...template, ...(path !== undefined && { path }) }, partLines, faults }
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    report(parts.fields.get('title')?.line ?? 1, error.message)
    return { faults }
  }
}

function readGiven(fields: Fields, description: string, report: ReportFault) {
  const number = (key: string, fallback: number) => readInteger(fields, key, fallback, report)
  const window_end = readTextField(fields, 'window_end', report)
  const entries = fields.get('parts')?.entries
  if (entries === undefined || entries.length === 0) report(fields.get('parts')?.line ?? 1, NO_PARTS)
  return {
    title: readTextField(fields, 'title', report) ?? '',
    description,
    parts: entries?.flatMap((entry) => readPart(entry, report)) ?? [],
    ...(fields.has('starts_days') && { starts: { days_after_joining: number('starts_days', 0) } }),
    due: { days_after_start: number('due_days', DUE_DAYS) },
    recurrence: fields.has('every_months')
      ? {
          every_months: number('every_months', 0),
          ...(window_end !== undefined && { window_end }),
          ...(fields.has('opens_days_before') && { opens_days_before: number('opens_days_before', 0) }),
        }
      : null,
    mandatory: readFlag(fields, 'mandatory', report),
    ordered: readFlag(fields, 'ordered', report),
    retention_years: number('retention_years', RETENTION_YEARS),
  }
}

const NO_PARTS = '„parts“ muss mindestens einen Teil haben, etwa { kind: sheet, slug: brandschutz }'

function lineOf(entry: Fields): number {
  const line = Math.min(...[...entry.values()].map((field) => field.line))
  return Number.isFinite(line) ? line : 1
}

function readPart(entry: Fields, report: ReportFault): GivenAssignment['parts'] {
  const kind = entry.get('kind')
  if (kind?.value !== 'sheet' && kind?.value !== 'test' && kind?.value !== 'deck' && kind?.value !== 'personal') {
    report(lineOf(entry), '„kind“ muss sheet, test, deck oder personal sein')
    return []
  }
  const slug = readTextField(entry, 'slug', report)
  const title = readTextField(entry, 'title', report)
  return [
    {
      kind: kind.value,
      ...(slug !== undefined && { slug }),
      ...(title !== undefined && { title }),
      ...(entry.has('share_percent') && { share_percent: readInteger(entry, 'share_percent', 100, report) }),
    },
  ]
}
