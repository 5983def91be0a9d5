import path from 'node:path'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vite'
import { serviceWorker } from './build/service-worker.ts'

/** The service that `npm run dev` starts beside Vite. */
const SERVICE = process.env.SERVICE_URL ?? 'http://127.0.0.1:3000'

export default defineConfig({
  root: import.meta.dirname,
  // Relative, so that one build serves any path behind a proxy; the page's `<base href>` says which.
  base: './',
  plugins: [svelte(), serviceWorker(path.join(import.meta.dirname, 'src/worker/worker.ts'))],
  build: {
    outDir: path.join(import.meta.dirname, '../dist/app'),
    emptyOutDir: true,
    target: 'es2023',
    // The policy of the page allows no inline data and no inline script.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // What most pages share comes in two files instead of twenty.
        advancedChunks: {
          groups: [
            { name: 'runtime', test: /node_modules\/(svelte|@tanstack|esm-env|clsx)\// },
            {
              name: 'parts',
              test: /web\/src\/(parts|words|platform|api)\/|@lucide\/svelte\/dist\/[^/]+$/,
              minShareCount: 2,
            },
          ],
        },
      },
    },
  },
  server: {
    proxy: Object.fromEntries(['/api', '/docs', '/openapi.json', '/healthz', '/readyz'].map((at) => [at, SERVICE])),
  },
})
