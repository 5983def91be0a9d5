import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import { findPartContent, type PartContent } from '../../../../db/queries/assignments/assignments.js'
import type { Database } from '../../../../db/types.js'
import { type AssignmentTemplate, parseTemplate } from '../../../domain/content/format/parse-template.js'
import type { GroupKind } from '../../../domain/content/translations.js'
import { type FileFindings, findFiles, TEMPLATES, tryRead } from './find-files.js'

/** An assignment template whose parts all exist, with the titles of their contents. */
export interface OfferedTemplate extends Omit<AssignmentTemplate, 'parts' | 'path'> {
  parts: {
    kind: AssignmentTemplate['parts'][number]['kind']
    slug: string | null
    title: string
    share_percent: number | null
  }[]
  /** All assignments of a template that has several; the other fields are those of the first one, with a common title */
  assignments?: OfferedTemplate[]
}

/**
 * Returns the templates of the folder. Omits templates with faults, which the check of the folder reports, and
 * templates with a part whose content does not exist or is a variant, because an assignment names the original.
 */
export async function listTemplates(db: Kysely<Database>, folder: string): Promise<OfferedTemplate[]> {
  const findings: FileFindings = { faults: [], warnings: [] }
  const offered: OfferedTemplate[] = []
  const paths = new Map<string, OfferedTemplate[]>()
  for (const file of await findFiles(folder, TEMPLATES, findings)) {
    const bytes = await tryRead(file, findings.faults, () => readFile(join(folder, file)))
    const template = bytes && parseTemplate(file, bytes).template
    const parts = template && (await findParts(db, template))
    if (template === undefined || parts === undefined) continue
    const { path, ...fields } = template
    const one = { ...fields, parts }
    const known = path === undefined ? undefined : paths.get(path)
    if (known !== undefined) known.push(one)
    else if (path === undefined) offered.push(one)
    else {
      const assignments = [one]
      paths.set(path, assignments)
      offered.push({ ...one, title: path, assignments })
    }
  }
  return offered
}

async function findOriginal(db: Kysely<Database>, kind: GroupKind, slug: string): Promise<PartContent | undefined> {
  const found = await findPartContent(db, kind, slug)
  return found?.original === null ? found.content : undefined
}

async function findParts(
  db: Kysely<Database>,
  { parts }: AssignmentTemplate,
): Promise<OfferedTemplate['parts'] | undefined> {
  const found: OfferedTemplate['parts'] = []
  for (const { kind, slug = '', title = '', share_percent = null } of parts) {
    const content = kind === 'personal' ? { title } : await findOriginal(db, kind, slug)
    if (content === undefined) return undefined
    found.push({ kind, slug: kind === 'personal' ? null : slug, title: content.title, share_percent })
  }
  return found
}
