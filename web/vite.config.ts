import path from 'node:path'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vite'
import { inlineIcon } from './build/inline-icon.ts'
import { minifyTheme } from './build/minify-theme.ts'
import { preloadPages } from './build/preload-pages.ts'
import { serviceWorker } from './build/service-worker.ts'

/** Address of the service that `npm run dev` starts beside Vite */
const SERVICE = process.env.SERVICE_URL ?? 'http://127.0.0.1:3000'

const TESTS = /src\/(?:pages\/tests|outbox\/answers|storage\/answers)/
const AUTHORS =
  /src\/(?:editor|pages\/inhalte|pages\/teams|pages\/vergeben|pages\/verwaltung)\/|src\/storage\/drafts|node_modules\/diff\//
const TASKS = /src\/pages\/aufgaben\//
const ICONS =
  /lucide\/svelte\/dist\/icons\/(?:archive|archive-restore|arrow-down|arrow-up|bold|clipboard-list|code|image|italic|link|list|pencil-line|plus|square-code|table|trash|trash-2)\./

/**
 * Groups of modules that several chunks share. Without groups, each of these modules would become a small file. A group
 * contains the modules that match its `test` and are in at least `minShareCount` chunks, and their imports that are not
 * in an earlier group.
 */
const SHARED_CHUNKS = [
  { name: 'start', tags: ['$initial' as const] },
  { name: 'start', test: isStyleOfAll, priority: 100 },
  { name: 'words', test: 'src/words/', minShareCount: 3 },
  { name: 'home', test: 'pages/heute/heute.svelte' },
  { name: 'inline', test: 'src/markdown/inline.ts' },
  { name: 'markdown', test: 'src/markdown/markdown.svelte' },
  { name: 'outbox', test: 'src/outbox/start-sync-queue.ts' },
  { name: 'study', test: 'pages/lernen/lernen.svelte' },
  {
    name: 'shared',
    test: (id: string) => !AUTHORS.test(id) && !TESTS.test(id) && !TASKS.test(id) && !ICONS.test(id),
    minShareCount: 2,
  },
  { name: 'author-icons', test: ICONS, minShareCount: 2 },
  { name: 'answers', test: /src\/(?:outbox|storage)\/answers/ },
  { name: 'task-parts', test: TASKS, minShareCount: 2 },
  { name: 'test-parts', test: TESTS, minShareCount: 2 },
  { name: 'assign', test: /src\/pages\/(?:vergeben|teams)\//, minShareCount: 2 },
  { name: 'drafts', test: /src\/storage\/drafts\.ts/ },
  { name: 'diff', test: /node_modules\/diff\/|src\/editor\/(?:diff\.svelte|word-diff)/ },
  { name: 'editor', test: /src\/editor\/(?!conflict-dialog)/ },
  { name: 'authors', test: /src\/pages\/(?:inhalte\/(?!schreiben)|verwaltung)/, minShareCount: 2 },
  { name: 'writing', test: /src\/pages\/inhalte\/schreiben\//, minShareCount: 2 },
]

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
    modulePreload: {
      polyfill: false,
      // For the chunks named below, only style sheets and `task-parts` are preloaded. Their other imports are mostly
      // loaded already, or preloaded by `theme.js`, and a longer list would enlarge the importing chunks.
      // The chunks `start` and `words` are always loaded already.
      resolveDependencies: (file, needed, { hostType }) => {
        if (hostType === 'html') return needed
        const isLate = /\/(?:tests|attempt|answer-sync|aufgaben|confirm-sheet|today|inhalte|teams|verwaltung)-/.test(
          file,
        )
          ? /\.css$|\/task-parts-/
          : /./
        return needed.filter((one) => isLate.test(one) && !/\/(?:start|words)-/.test(one))
      },
    },
    // All modules for which `isStyleOfAll` returns true become one style sheet. It is smaller than the sum of separate
    // style sheets, and prevents layout shifts by style sheets that arrive later.
    cssCodeSplit: true,
    rolldownOptions: {
      // Suppresses timing output.
      checks: { bundlerTimings: false },
      output: { codeSplitting: { groups: SHARED_CHUNKS } },
    },
  },
  server: {
    proxy: Object.fromEntries(['/api', '/docs', '/openapi.json', '/healthz', '/readyz'].map((at) => [at, SERVICE])),
  },
})
