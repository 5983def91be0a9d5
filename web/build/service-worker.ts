import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { build, type Plugin } from 'vite'

/** Builds `sw.js` last, when the files of this version are known, for the page in this language. */
export function serviceWorker(entry: string, language: string): Plugin {
  return {
    name: 'service-worker',
    apply: 'build',
    async writeBundle({ dir }) {
      if (dir === undefined) return
      // The files of other languages are in folders.
      const isOwn = (file: string) => !/^[a-z]{2}\//.test(file) && file !== 'index.html' && file !== 'sw.js'
      const files = listFiles(dir).filter(isOwn)
      // The version changes with the name or content of any file.
      const contents = ['index.html', ...files].map(
        (file) => `${file} ${hash('sha256', readFileSync(path.join(dir, file)))}`,
      )
      await build({
        configFile: false,
        publicDir: false,
        logLevel: 'warn',
        define: {
          LANGUAGE: JSON.stringify(language),
          FILES: JSON.stringify(files),
          VERSION: JSON.stringify(hash('sha256', contents.join('\n')).slice(0, 12)),
        },
        build: {
          outDir: dir,
          emptyOutDir: false,
          target: 'es2023',
          rollupOptions: { input: entry, output: { entryFileNames: 'sw.js', format: 'iife' } },
        },
      })
    },
  }
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'))
    .sort()
}
