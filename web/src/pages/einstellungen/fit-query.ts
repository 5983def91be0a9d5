import { queryOptions } from '@tanstack/svelte-query'
import { api } from '../../api/client.js'

/** Intervals fitted to the learner, and what each desired retention costs */
export const fitQuery = () =>
  queryOptions({ queryKey: ['review', 'fit'], queryFn: () => api.get('/api/review/settings/fit') })
