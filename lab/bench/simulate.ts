/**
 * `npm run simulate` runs learners through the API, `npm run simulate -- fits` fits parameters to synthetic ones, and
 * `npm run simulate -- night` fits those of 1,000 people, and `npm run simulate -- tests` lets 500 take a test at once.
 */
const [what] = process.argv.slice(2)
const module =
  { fits: './simulate-fits.js', night: './fit-night.js', tests: './tests-at-once.js' }[what ?? ''] ??
  './simulate-learners.js'
await import(module)
