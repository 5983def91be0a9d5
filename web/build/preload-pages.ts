import type { Plugin, Rolldown } from 'vite'

const PLACE = '<meta name="pages" content="" />'

/**
 * Writes a map of files to preload into the HTML page. The keys are the names of the dynamically imported chunks whose
 * module is in `folder`; the values are the files of the chunk and of its static imports, except those that the HTML
 * page already refers to. `theme.js` preloads the files for the current address in parallel with the entry chunk.
 */
export function preloadPages(folder: string): Plugin {
  return {
    name: 'preload-pages',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle }) {
        if (!html.includes(PLACE)) throw new Error(`the page lacks ${PLACE}`)
        const chunks = Object.values(bundle ?? {}).filter((file) => file.type === 'chunk')
        const pages = chunks.filter((chunk) => chunk.isDynamicEntry && chunk.facadeModuleId?.startsWith(folder))
        const files = pages.map((page) => [page.name, withImports(page, chunks).filter((file) => !html.includes(file))])
        return html.replace(PLACE, PLACE.replace('""', `'${JSON.stringify(Object.fromEntries(files))}'`))
      },
    },
  }
}

/** Returns the file of a chunk and the files of its direct and indirect static imports. */
function withImports(chunk: Rolldown.OutputChunk, chunks: Rolldown.OutputChunk[]): string[] {
  const all = new Set([chunk.fileName])
  for (const file of all) {
    for (const imported of chunks.find(({ fileName }) => fileName === file)?.imports ?? []) all.add(imported)
  }
  return [...all]
}
