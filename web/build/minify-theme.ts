import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { minifySync, type Plugin } from 'vite'

/** Minifies `theme.js`, which Vite copies from `public/` unchanged. */
export function minifyTheme(): Plugin {
  return {
    name: 'minify-theme',
    apply: 'build',
    writeBundle({ dir = '' }) {
      const file = path.join(dir, 'theme.js')
      writeFileSync(file, minifySync(file, readFileSync(file, 'utf8')).code)
    },
  }
}
