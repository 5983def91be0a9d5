import { queryOptions } from '@tanstack/svelte-query'
import { api } from '../../api/client.js'

/** The language of the account */
export const languageQuery = () =>
  queryOptions({ queryKey: ['account', 'language'], queryFn: () => api.get('/api/accounts/me') })
