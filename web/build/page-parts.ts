import { readFileSync } from 'node:fs'
import type { Plugin, Rolldown } from 'vite'

/** One route of the table: its pattern, and the file that it loads or the name of what loads it. */
const ROUTE = /\{\s*pattern: '(?<pattern>[^']+)'[^{}]*?(?:import\('\.(?<file>[^']+)'\)|pick\((?<name>\w+),)/g
/** What loads a file with several pages. */
const SHARED = /const (\w+) = \(\) => import\('\.([^']+)\.js'\)/g

/** It reads what stands before it. */
const SCRIPT = /<script src="[^"]*theme\.js"/

/**
 * Tells the page which files each of its addresses needs besides the start, so that `theme.js` has the browser fetch
 * them at once, and not only when the start has run. Administrators can wait.
 */
export function pageParts(routes: string): Plugin {
  return {
    name: 'page-parts',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle }) {
        const chunks = Object.values(bundle ?? {}).filter((file) => file.type === 'chunk')
        const table = readFileSync(routes, 'utf8')
        const shared = new Map([...table.matchAll(SHARED)].map(([, name, file]) => [name, `${file}.ts`]))
        const found = [...table.matchAll(ROUTE)]
        if (found.length === 0) throw new Error('no routes were found')
        const files: string[] = []
        const parts: Record<string, number[]> = {}
        for (const { 0: text, groups: { pattern = '', file, name } = {} } of found) {
          if (text.includes('isAdmin') || text.includes('/teile')) continue
          const page = file ?? shared.get(name) ?? ''
          const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(page))
          if (page === '' || chunk === undefined) throw new Error(`${pattern} is no chunk`)
          const needed = withImports(chunk, chunks).filter((file) => !html.includes(file))
          for (const file of needed) if (!files.includes(file)) files.push(file)
          parts[pattern.replace(/:\w+/, '*')] = needed.map((file) => files.indexOf(file))
        }
        const before = html.search(SCRIPT)
        if (before < 0) throw new Error('the page has no theme.js')
        const meta = `<meta name="parts" content='${JSON.stringify({ files, parts })}' />\n    `
        return html.slice(0, before) + meta + html.slice(before)
      },
    },
  }
}

/** The file of a chunk, and those of all that it imports. */
function withImports(chunk: Rolldown.OutputChunk, chunks: Rolldown.OutputChunk[]): string[] {
  const all = new Set([chunk.fileName])
  for (const file of all) {
    for (const imported of chunks.find(({ fileName }) => fileName === file)?.imports ?? []) all.add(imported)
  }
  return [...all]
}
