import { launchBatch } from '../support/runner/launch.js'

await launchBatch()
