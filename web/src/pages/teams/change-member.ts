import type { QueryClient } from '@tanstack/svelte-query'
import { api } from '../../api/client.js'
import { TEAM_KEYS } from './team-queries.js'

/** Sets the role of a person in a team; null ends a membership that was set manually. */
export async function changeMember(
  client: QueryClient,
  { team, person, role }: { team: number; person: number; role: 'member' | 'lead' | null },
): Promise<void> {
  const path = { id: String(team), userId: String(person) }
  if (role === null) await api.delete('/api/teams/{id}/members/{userId}', { path })
  else await api.put('/api/teams/{id}/members/{userId}', { path, body: { role } })
  await Promise.all(TEAM_KEYS.map((queryKey) => client.invalidateQueries({ queryKey })))
}
