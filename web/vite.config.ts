import path from 'node:path'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vite'
import { drawnIcons } from './build/drawn-icons.ts'
import { inlineIcon } from './build/inline-icon.ts'
import { mountOnly } from './build/mount-only.ts'
import { pageParts } from './build/page-parts.ts'
import { preloadChunk } from './build/preload-chunk.ts'
import { serviceWorker } from './build/service-worker.ts'
import { shortClasses } from './build/short-classes.ts'
import { shrink } from './build/shrink.ts'

/** The service that `npm run dev` starts beside Vite. */
const SERVICE = process.env.SERVICE_URL ?? 'http://127.0.0.1:3000'

/** What comes together: few files for a first visit, and none that carries what another page needs. */
const CHUNKS = [
  { name: 'start', test: /node_modules|web\/src\/.*\//, tags: ['$initial' as const] },
  // What nearly every page is made of.
  {
    name: 'pages',
    test: new RegExp(
      [
        /web\/src\/(api\/(?!admin|card-changes)|parts\/(load|skeleton|badge|state-bar|page)\b|words\/numbers|storage\/id)/,
        /svelte-query\/dist\/create(Base)?Query|query-core\/build\/modern\/queryObserver/,
        /icons\/(check|chevron-right)\./,
      ]
        .map(({ source }) => source)
        .join('|'),
    ),
  },
  // What pages about single cards share.
  {
    name: 'words',
    test: /web\/src\/(words\/(dates|devices|moments|ratings)|markdown\/picture-address|api\/card-changes|parts\/meter)|icons\/(ellipsis-vertical|flag)\./,
  },
  // With what the bundler needs itself, of which nothing earlier needs anything.
  {
    name: 'markdown',
    test: /rolldown\/runtime|web\/src\/markdown\/(entity|markdown|pictures|render|sanitize|show|split)\b|web\/src\/platform\/picture|node_modules\/micromark/,
  },
  {
    name: 'outbox',
    test: /web\/src\/((outbox|storage)\/(?!lease)|shell\/waiting-badge)|node_modules\/idb\/|icons\/(cloud-off|triangle-alert)\./,
  },
  // What several of the other pages share.
  {
    name: 'forms',
    test: /node_modules\/(svelte|@tanstack)\/|@lucide\/svelte|web\/src\/(parts\/(?!shown-once)|markdown\/inline|platform\/download|pages\/karten\/history-words)/,
    minShareCount: 2,
  },
  { name: 'search', test: /web\/src\/(search\/|pages\/suche)/ },
  // The ways in, and what pages about accounts show as they do.
  {
    name: 'login',
    test: /web\/src\/(account\/(?!passkeys)|pages\/(anmelden|passwort)|parts\/shown-once)|shell\/(alone|not)/,
  },
]

export default defineConfig({
  root: import.meta.dirname,
  // Relative, so that one build serves any path behind a proxy; the page's `<base href>` says which.
  base: './',
  plugins: [
    svelte({
      configFile: false,
      compilerOptions: {
        runes: true,
        discloseVersion: false,
        cssHash: shortClasses(path.join(import.meta.dirname, 'src')),
      },
    }),
    drawnIcons(path.join(import.meta.dirname, 'src/parts/draw.ts')),
    mountOnly(),
    preloadChunk('pages'),
    inlineIcon(path.join(import.meta.dirname, 'public/icon.svg')),
    pageParts(path.join(import.meta.dirname, 'src/routes.ts')),
    shrink(path.join(import.meta.dirname, 'public/theme.js')),
    serviceWorker(path.join(import.meta.dirname, 'src/worker/worker.ts')),
  ],
  // Its way in browsers is to write HTML, which the policy of the page forbids.
  resolve: { alias: { 'decode-named-character-reference': path.join(import.meta.dirname, 'src/markdown/entity.ts') } },
  build: {
    outDir: path.join(import.meta.dirname, '../dist/app'),
    emptyOutDir: true,
    target: 'es2023',
    // The policy of the page allows no inline data and no inline script.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // One file of styles, smaller than its parts: no page waits for another one, and nothing moves when it comes.
    cssCodeSplit: false,
    rolldownOptions: {
      // Timings are for whoever asks for them.
      checks: { bundlerTimings: false },
      treeshake: {
        // Svelte does not say which of its modules do something by being loaded; without this all bindings come first.
        moduleSideEffects: [
          { test: /node_modules\/svelte\/src\/internal\/(disclose-version|flags\/)/, sideEffects: true },
          { test: /node_modules\/svelte\//, sideEffects: false },
        ],
      },
      output: { codeSplitting: { groups: CHUNKS } },
    },
  },
  server: {
    proxy: Object.fromEntries(['/api', '/docs', '/openapi.json', '/healthz', '/readyz'].map((at) => [at, SERVICE])),
  },
})
