import type { Plugin } from 'vite'

/** Has the browser fetch a chunk that every page needs together with the start, and not only once that has run. */
export function preloadChunk(name: string): Plugin {
  return {
    name: 'preload-chunk',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle }) {
        const chunk = Object.values(bundle ?? {}).find((file) => file.type === 'chunk' && file.name === name)
        if (chunk === undefined) throw new Error(`there is no chunk ${name}`)
        const attrs = { rel: 'modulepreload', crossorigin: true, href: `./${chunk.fileName}` }
        return [{ tag: 'link', attrs, injectTo: 'head' }]
      },
    },
  }
}
