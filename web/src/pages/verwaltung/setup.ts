import type { Component } from 'svelte'
import { queryClient } from '../../api/query-client.js'
import { adminQueries } from './admin-queries.js'
import SetupCard from './setup-card.svelte'

/** Loads the steps first, so that their rows appear together with the rest of „Heute“. */
export default async function loadSetup(): Promise<Component> {
  await queryClient.prefetchQuery({ ...adminQueries.setup(), retry: false })
  return SetupCard
}
