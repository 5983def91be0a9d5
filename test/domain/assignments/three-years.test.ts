import t from 'tap'
import { SEED } from '../../support/seed.js'
import { simulateThreeYears } from '../../support/three-years.js'

t.test('60 people have exactly one occurrence per period', async (t) => {
  simulateThreeYears(t, { seed: SEED, people: 60 })
})
