import type { Plugin, Rolldown } from 'vite'

const PLACE = '<meta name="pages" content="" />'

/**
 * Writes a map from the chunk names of pages to their files into the HTML page, so that `theme.js` can preload the
 * files of the current page in parallel with the entry chunk. Files that the HTML page already refers to are left out.
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

function withImports(chunk: Rolldown.OutputChunk, chunks: Rolldown.OutputChunk[]): string[] {
  const all = new Set([chunk.fileName])
  for (const file of all) {
    for (const imported of chunks.find(({ fileName }) => fileName === file)?.imports ?? []) all.add(imported)
  }
  return [...all]
}
