import type { Digests, ImportPlan, StoredSheet } from './import-plan.js'
import type { SheetSource } from './types.js'

export function planSheets(
  plan: ImportPlan,
  sheets: readonly SheetSource[],
  stored: readonly StoredSheet[],
  digests: Digests,
): void {
  const bySlug = new Map(stored.map((row) => [row.slug, row]))
  const kept = new Set<StoredSheet>()
  for (const sheet of sheets) {
    const row = bySlug.get(sheet.slug)
    if (row === undefined) {
      plan.newSheets.push(sheet)
      plan.cheatsheets.created++
      continue
    }
    kept.add(row)
    if (!row.is_imported) plan.adoptedSheets.push(row.id)
    if (row.is_live && row.digest === digests.sheets.get(sheet)) plan.cheatsheets.unchanged++
    else {
      plan.changedSheets.push({ id: row.id, sheet })
      plan.cheatsheets.updated++
    }
  }
  const live = stored.filter((row) => row.is_imported && row.is_live)
  plan.liveSheets = live.length
  plan.archivedSheets = live.filter((row) => !kept.has(row)).map(({ id }) => id)
  plan.cheatsheets.archived = plan.archivedSheets.length
}
