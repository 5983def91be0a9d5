import type { Component } from 'svelte'
import { prefetchInTime } from '../../api/prefetch-in-time.js'
import { adminQueries } from './admin-queries.js'
import SetupCard from './setup-card.svelte'

/** Loads the steps first, so that their rows appear together with the rest of „Heute“, unless the response is late. */
export default async function loadSetup(): Promise<Component> {
  await prefetchInTime(adminQueries.setup())
  return SetupCard
}
