import t from 'tap'
import { SEED } from '../support/seed.js'
import { simulateThreeYears } from '../support/three-years.js'

for (let seed = SEED; seed < SEED + 8; seed++) {
  t.test(`1,000 people have exactly one occurrence per period, with the seed ${seed}`, async (t) => {
    simulateThreeYears(t, { seed, people: 1_000 })
  })
}
