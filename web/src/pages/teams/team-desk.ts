import { api } from '../../api/client.js'
import type { Body } from '../../api/types.js'
import { createDesk, type Desk } from '../../editor/desk.svelte.js'
import { changedIn } from '../../editor/saving.js'
import type { Stored } from '../../editor/writing.js'
import type { TeamOfPage } from './team-queries.js'

export interface TeamFields {
  name: string
  /** Group of the identity provider; empty if there is none */
  group: string
}

function storedOf({ version = 0, name, external_group }: TeamOfPage): Stored<TeamFields> {
  return { version, fields: { name, group: external_group ?? '' } }
}

const bodyOf = ({ name, group }: TeamFields) => ({ name: name.trim(), external_group: group.trim() || null })

async function load({ id }: { id: number }): Promise<TeamOfPage> {
  return (await api.get('/api/teams/{id}', { path: { id } })).team
}

/**
 * Creates the editing session of a team.
 * @param team undefined for a new team
 */
export function teamDesk(
  user: number,
  team: TeamOfPage | undefined,
  onsaved: (team: TeamOfPage) => void,
): Desk<TeamFields> {
  const routes = {
    storedOf,
    changesOf: (fields: TeamFields, stored: TeamOfPage) => changedIn(bodyOf(fields), bodyOf(storedOf(stored).fields)),
    patch: async ({ id }: TeamOfPage, body: Body<'/api/teams/{id}', 'patch'>): Promise<TeamOfPage> =>
      (await api.patch('/api/teams/{id}', { path: { id }, body })).team,
    load,
    onsaved,
  }
  if (team !== undefined) return createDesk({ ...routes, user, item: `team ${team.id}`, object: team })
  return createDesk({
    ...routes,
    user,
    item: 'new team',
    fields: { name: '', group: '' },
    create: async (fields: TeamFields, client_id: string): Promise<TeamOfPage> =>
      (await api.post('/api/teams', { body: { client_id, ...bodyOf(fields) } })).team,
    loadCreated: ({ id }) => load({ id: Number(id) }),
  })
}
