import { queryOptions } from '@tanstack/svelte-query'
import { api } from '../../api/client.js'

/** Intervals fitted to the learner, and the cost of each desired retention */
export const fitQuery = () =>
  queryOptions({ queryKey: ['review', 'fit'], queryFn: () => api.get('/api/review/settings/fit') })
