// Lints an OpenAPI document: prints its faults and exits with 1 if there are any. Uses the library instead of
// @redocly/cli, which sends usage data by default.
import { formatProblems, getTotals, lint, loadConfig } from '@redocly/openapi-core'

const config = await loadConfig({ configPath: new URL('../redocly.yaml', import.meta.url).pathname })
const problems = await lint({ ref: process.argv[2], config })
formatProblems(problems, { totals: getTotals(problems) })
process.stdout.write(`${problems.length} problems\n`)
process.exitCode = problems.length > 0 ? 1 : 0
