import { runBatch } from '../support/runner/batch.js'

await runBatch(process.env.TEST_BATCH as string)
