/**
 * `npm run simulate` simulates learners through the API. `npm run simulate -- fits` fits parameters to synthetic
 * learners, `-- night` fits the parameters of 1,000 people, and `-- tests` lets 500 people start a test at once, and
 * `-- guesser` guesses the practice questions of the included decks.
 */
const [what] = process.argv.slice(2)
const MODULES: Readonly<Record<string, string>> = {
  fits: './simulate-fits.js',
  night: './fit-night.js',
  tests: './tests-at-once.js',
  guesser: './simulate-guesser.js',
}
await import(MODULES[what ?? ''] ?? './simulate-learners.js')
