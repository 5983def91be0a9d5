import { queryOptions } from '@tanstack/svelte-query'
import { api } from '../../api/client.js'

export const resultsQuery = () =>
  queryOptions({ queryKey: ['quiz', 'results'], queryFn: () => api.get('/api/quiz/history') })
