import path from 'node:path'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vite'
import { inlineIcon } from './build/inline-icon.ts'
import { minifyTheme } from './build/minify-theme.ts'
import { preloadPages } from './build/preload-pages.ts'
import { serviceWorker } from './build/service-worker.ts'

/** Address of the service that `npm run dev` starts beside Vite */
const SERVICE = process.env.SERVICE_URL ?? 'http://127.0.0.1:3000'

/** Pages of authors, leads, administrators and visitors without an account, and what only they use */
const STAFF =
  /src\/(?:editor|pages\/(?:inhalte|nachweis|teams|vergeben|verwaltung))\/|src\/pages\/(?:mail|public)\.|src\/storage\/drafts|node_modules\/diff\//
const TESTS = /src\/(?:pages\/tests|outbox\/answers|storage\/answers)/
const TASKS = /src\/pages\/aufgaben\//

/**
 * Groups of modules that several chunks share; without groups, each of these modules would become a small file. A group
 * contains the modules that match its `test`, and their imports that are not in an earlier group. The first groups
 * contain what the first pages need.
 */
const GROUPS = [
  { name: 'start', tags: ['$initial' as const] },
  { name: 'start', test: isStyleOfAll, priority: 100 },
  { name: 'words', test: /src\/(?:words\/|markdown\/inline)/, minShareCount: 3 },
  { name: 'home', test: /src\/pages\/heute\/heute\.svelte/ },
  { name: 'markdown', test: /src\/markdown\/markdown\.svelte/ },
  { name: 'study', test: /src\/(?:pages\/lernen\/lernen\.svelte|outbox\/start-sync-queue)/ },
  {
    name: 'shared',
    test: (id: string) => ![STAFF, TESTS, TASKS].some((pages) => pages.test(id)),
    minShareCount: 2,
  },
  { name: 'manage', test: /src\/pages\/(?:inhalte\/(?!schreiben)|mail\.|teams|vergeben|verwaltung)/, minShareCount: 2 },
  { name: 'write', test: STAFF, minShareCount: 2 },
  { name: 'test-parts', test: TESTS, minShareCount: 2 },
  { name: 'task-parts', test: TASKS, minShareCount: 2 },
]

/** Returns whether more than a third of a chunk's modules, icons included, are in `STAFF`. */
function isOfStaff(moduleIds: string[]): boolean {
  return moduleIds.filter((id) => STAFF.test(id)).length > moduleIds.length / 3
}

/** Returns whether a module is part of the common style sheet. */
function isStyleOfAll(id: string): boolean {
  return /\.css$/.test(id) && !/src\/(?:editor|pages\/(?:inhalte|teams|tests|vergeben))\//.test(id)
}

export default defineConfig({
  root: import.meta.dirname,
  // The base is relative, so that one build serves any path behind a proxy; `<base href>` of the page contains the
  // path.
  base: './',
  plugins: [
    svelte({ configFile: false, compilerOptions: { runes: true, discloseVersion: false } }),
    inlineIcon(path.join(import.meta.dirname, 'public/icon.svg')),
    preloadPages(path.join(import.meta.dirname, 'src/pages')),
    minifyTheme(),
    serviceWorker(path.join(import.meta.dirname, 'src/worker/worker.ts')),
  ],
  // The package's browser build sets `innerHTML`, which the Content-Security-Policy of the page forbids.
  resolve: { alias: { 'decode-named-character-reference': path.join(import.meta.dirname, 'src/markdown/entity.ts') } },
  build: {
    outDir: path.join(import.meta.dirname, '../dist/app'),
    emptyOutDir: true,
    target: 'es2023',
    // The first versions that support `light-dark()`, `AbortSignal.any` and `popover`
    cssTarget: ['chrome123', 'edge123', 'firefox125', 'safari17.5'],
    // The Content-Security-Policy of the page allows `data:` URLs for images only, and no inline scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // All modules for which `isStyleOfAll` returns true become one style sheet. It is smaller than the sum of separate
    // style sheets, and prevents layout shifts by style sheets that arrive later.
    cssCodeSplit: true,
    rolldownOptions: {
      // Suppresses timing output.
      checks: { bundlerTimings: false },
      output: {
        codeSplitting: { groups: GROUPS },
        // The prefix tells `scripts/check-sizes.mjs` which files learners do not load.
        chunkFileNames: ({ moduleIds }) => `assets/${isOfStaff(moduleIds) ? 'staff-' : ''}[name]-[hash].js`,
      },
    },
  },
  server: {
    proxy: Object.fromEntries(['/api', '/docs', '/openapi.json', '/healthz', '/readyz'].map((at) => [at, SERVICE])),
  },
})
