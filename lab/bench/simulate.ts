/**
 * `npm run simulate` simulates learners through the API. `npm run simulate -- fits` fits parameters to synthetic
 * learners, `-- night` fits the parameters of 1,000 people, and `-- tests` lets 500 people start a test at once.
 */
const [what] = process.argv.slice(2)
const module =
  { fits: './simulate-fits.js', night: './fit-night.js', tests: './tests-at-once.js' }[what ?? ''] ??
  './simulate-learners.js'
await import(module)
