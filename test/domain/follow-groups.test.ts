import assert from 'node:assert/strict'
import t from 'tap'
import { followGroups } from '../../src/domain/teams/follow-groups.js'
import fc from '../support/property.js'

t.test(
  'property: the memberships become exactly the teams of the groups, and a repetition changes nothing',
  async () => {
    const teams = fc.uniqueArray(fc.integer({ min: 1, max: 9 }))
    fc.assert(
      fc.property(teams, fc.array(fc.integer({ min: 1, max: 9 })), (had, has) => {
        const current = had.map((team_id) => ({ id: 100 + team_id, team_id }))
        const { join, end } = followGroups(current, has)
        const after = [
          ...current.filter(({ id }) => !end.includes(id)),
          ...join.map((team_id) => ({ id: 200 + team_id, team_id })),
        ]
        assert.deepEqual(after.map(({ team_id }) => team_id).sort(), [...new Set(has)].sort())
        assert.deepEqual(followGroups(after, has), { join: [], end: [] })
      }),
    )
  },
)
