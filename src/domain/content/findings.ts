import type { Fault, Warning } from './types.js'

/**
 * Formats a fault as `file:line: message`, which many editors and terminals turn into a link.
 * @example formatFault({ file: 'a.md', line: 2, message: 'Kein Level' }) // 'a.md:2: Kein Level'
 */
export function formatFault({ file, line, message }: Fault): string {
  return `${file}:${line}: ${message}`
}

/**
 * Formats a warning as `file:line: Warnung: message`.
 * @example formatWarning({ file: 'a.md', line: 2, message: 'Kein Level' }) // 'a.md:2: Warnung: Kein Level'
 */
export function formatWarning({ file, line, message }: Warning): string {
  return `${file}:${line}: Warnung: ${message}`
}

const MAX_WARNINGS = 200

/** Sorts the warnings in place by file and line; returns the first 200. */
export function sortWarnings<Item extends Warning>(warnings: Item[]): Item[] {
  return warnings.sort(comparePlaces).slice(0, MAX_WARNINGS)
}

export function comparePlaces(a: Fault, b: Fault): number {
  return compareText(a.file, b.file) || a.line - b.line
}

/** Compares strings by code units, independently of the locale of the machine. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** A fault or warning of an upload. Findings of one kind differ only in names and numbers. */
export interface Finding extends Fault {
  /** Default: the message */
  kind?: string
  /** Number of further findings of the kind; set if the finding stands for them */
  more?: number
}

/** A finding as an answer lists it */
export type ListedFinding = Omit<Finding, 'kind'>

const EXAMPLES = 10
/** Maximum number of kinds; findings of further kinds are only counted */
const MAX_KINDS = 1_000

interface Group {
  examples: Finding[]
  /** First finding that is not an example */
  next: Finding | undefined
  others: number
}

/** Collects findings. The list has at most ten findings of each kind, and the number of the others of this kind. */
export class GroupedFindings {
  readonly #groups = new Map<string, Group>()
  #total = 0

  /** Adds a finding, or the findings that another list has counted (`more`). */
  add(finding: Finding): void {
    const { kind = finding.message, more } = finding
    this.#total += more ?? 1
    const known = this.#groups.get(kind)
    if (known === undefined && this.#groups.size >= MAX_KINDS) return
    const group = known ?? { examples: [], next: undefined, others: 0 }
    this.#groups.set(kind, group)
    if (more === undefined && group.examples.length < EXAMPLES) {
      group.examples.push(finding)
      return
    }
    group.next ??= finding
    group.others += more ?? 1
  }

  /** Counts findings that the list does not contain. */
  addUnlisted(count: number): void {
    this.#total += count
  }

  get total(): number {
    return this.#total
  }

  /** Returns the findings sorted by file and line; one that stands for others has the place of the first of them. */
  list(): Finding[] {
    const found: Finding[] = []
    for (const [kind, { examples, next, others }] of this.#groups) {
      found.push(...examples)
      if (next === undefined) continue
      const first = examples[0] ?? next
      const count = others === 1 ? 'eine' : others.toLocaleString('de-DE')
      const message = `… und ${count} weitere dieser Art: ${first.message}`
      const { code, details } = first
      found.push({
        file: next.file,
        line: next.line,
        message,
        kind,
        more: others,
        ...(code !== undefined && { code, details: details ?? {} }),
      })
    }
    return found.sort(comparePlaces)
  }
}

export function withoutKind({ kind: _, ...finding }: Finding): ListedFinding {
  return finding
}

/** Counts findings, including those that others stand for. */
export function countFindings(findings: readonly ListedFinding[]): number {
  return findings.reduce((sum, { more = 1 }) => sum + more, 0)
}

/** Returns at most ten findings of each kind, with a finding that stands for the others, sorted by file and line. */
export function groupFindings(findings: Iterable<Finding>): Finding[] {
  const grouped = new GroupedFindings()
  for (const finding of findings) grouped.add(finding)
  return grouped.list()
}
