import t from 'tap'
import { fuzzService, HTTP_URL, HTTPS_URL } from './support/fuzz/service.js'
import { SEED } from './support/seed.js'

// `test/soak/fuzz.test.ts` sends more requests, several at a time.
for (const [publicUrl, requests] of [
  [HTTP_URL, 600],
  [HTTPS_URL, 200],
] as const) {
  t.test(`responses to valid, almost valid and hostile requests to ${publicUrl} match the OpenAPI document`, (t) =>
    // One at a time, because the order of concurrent requests depends on the machine.
    fuzzService(t, { publicUrl, seed: SEED, requests, concurrency: 1 }),
  )
}
