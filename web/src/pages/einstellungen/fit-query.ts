import { queryOptions } from '@tanstack/svelte-query'
import { api } from '../../api/client.js'

/** Query for the intervals that are fitted to the learner, and for the cost of each desired retention */
export const fitQuery = () =>
  queryOptions({ queryKey: ['review', 'fit'], queryFn: () => api.get('/api/review/settings/fit') })
