import path from 'node:path'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vite'
import { inlineIcon } from './build/inline-icon.ts'
import { minifyTheme } from './build/minify-theme.ts'
import { preloadPages } from './build/preload-pages.ts'
import { serviceWorker } from './build/service-worker.ts'
import { collectStaffModules } from './build/staff-modules.ts'
import { translateMessages } from './build/translate-messages.ts'

/** Address of the service that `npm run dev` starts beside Vite */
const SERVICE = process.env.SERVICE_URL ?? 'http://127.0.0.1:3000'

/** Language of this build; German is the language of the sources */
const { WEB_LANGUAGE: LANGUAGE = 'de' } = process.env

/** Pages of authors, leads, administrators and visitors without an account */
const STAFF_PAGES = /src\/pages\/(?:inhalte|nachweis|teams|vergeben|verwaltung)\/|src\/pages\/(?:mail|public)\./
const staff = new Set<string>()
const isOfStaff = (id: string) => staff.has(id)
const isOfLearners = (id: string) => !staff.has(id)

/** What the entry needs, and what nearly all pages need */
const START = /src\/(?:main\.ts|words\/|markdown\/inline|parts\/load\.svelte)/
const TESTS = /src\/(?:pages\/tests|outbox\/answers|storage\/answers)/
const TASKS = /src\/pages\/aufgaben\//
/** What the editors and the storage of drafts share, which other pages of staff do not load */
const WRITING = /src\/(?:editor|markdown|storage)\/|pages\/inhalte\/schreiben\//

/**
 * Groups of modules that several chunks share; without groups, each of these modules would become a small file. A group
 * contains the modules that match its `test`, and their imports that are not in an earlier group. The first groups
 * contain what the first pages need.
 */
const GROUPS = [
  { name: 'start', test: (id: string) => isOfLearners(id) && START.test(id) },
  // One style sheet is smaller than the sum of many, and prevents layout shifts by style sheets that arrive later.
  { name: 'start', test: (id: string) => id.endsWith('.css') && isOfLearners(id), priority: 100 },
  { name: 'home', test: /src\/pages\/heute\/heute\.svelte/ },
  { name: 'markdown', test: /src\/markdown\/markdown\.svelte/ },
  { name: 'study', test: /src\/(?:pages\/lernen\/lernen\.svelte|outbox\/start-sync-queue)/ },
  {
    name: 'shared',
    test: (id: string) => isOfLearners(id) && ![TESTS, TASKS].some((pages) => pages.test(id)),
    minShareCount: 2,
  },
  { name: 'tests', test: TESTS },
  { name: 'tasks', test: TASKS, minShareCount: 2 },
  { name: 'manage', test: (id: string) => isOfStaff(id) && !WRITING.test(id), minShareCount: 2 },
  { name: 'write', test: isOfStaff, minShareCount: 2 },
]

export default defineConfig({
  root: import.meta.dirname,
  // The base is relative, so that one build serves any path behind a proxy; `<base href>` of the page contains the
  // path.
  base: './',
  plugins: [
    ...(LANGUAGE === 'de' ? [] : [translateMessages(LANGUAGE, path.join(import.meta.dirname, 'src'))]),
    svelte({
      configFile: false,
      compilerOptions: {
        runes: true,
        discloseVersion: false,
        // Shorter than the default, because hashes do not compress and each is in the JavaScript and in the style sheet.
        cssHash: ({ hash, filename }) => `s-${hash(filename).slice(0, 5)}`,
      },
    }),
    inlineIcon(path.join(import.meta.dirname, 'public/icon.svg')),
    collectStaffModules(STAFF_PAGES, staff),
    preloadPages(path.join(import.meta.dirname, 'src/pages')),
    minifyTheme(),
    serviceWorker(path.join(import.meta.dirname, 'src/worker/worker.ts'), LANGUAGE),
  ],
  // The package's browser build sets `innerHTML`, which the Content-Security-Policy of the page forbids.
  resolve: { alias: { 'decode-named-character-reference': path.join(import.meta.dirname, 'src/markdown/entity.ts') } },
  build: {
    outDir: path.join(import.meta.dirname, '../dist/app', LANGUAGE === 'de' ? '' : LANGUAGE),
    // The folder has a subfolder for each language; `scripts/build.mjs` removes it.
    emptyOutDir: false,
    target: 'es2023',
    // The first versions that support `light-dark()`, `AbortSignal.any` and `popover`
    cssTarget: ['chrome123', 'edge123', 'firefox125', 'safari17.5'],
    // The Content-Security-Policy of the page allows `data:` URLs for images only, and no inline scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    cssCodeSplit: true,
    rolldownOptions: {
      // Suppresses timing output.
      checks: { bundlerTimings: false },
      output: {
        codeSplitting: { groups: GROUPS },
        // The prefix tells `scripts/check-sizes.mjs` which files learners do not load.
        chunkFileNames: ({ moduleIds }) =>
          `assets/${moduleIds.length > 0 && moduleIds.every(isOfStaff) ? 'staff-' : ''}[name]-[hash].js`,
      },
    },
  },
  server: {
    proxy: Object.fromEntries(
      ['/api', '/scim', '/docs', '/openapi.json', '/healthz', '/readyz'].map((at) => [at, SERVICE]),
    ),
  },
})
