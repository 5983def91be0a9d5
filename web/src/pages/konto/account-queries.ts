import { queryOptions } from '@tanstack/svelte-query'
import { api } from '../../api/client.js'

export const accountQueries = {
  sessions: () =>
    queryOptions({ queryKey: ['account', 'sessions'], queryFn: () => api.get('/api/accounts/me/sessions') }),
  mail: () => queryOptions({ queryKey: ['account', 'mail'], queryFn: () => api.get('/api/mail/mine') }),
  tokens: () => queryOptions({ queryKey: ['account', 'tokens'], queryFn: () => api.get('/api/auth/tokens') }),
}
