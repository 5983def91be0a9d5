import './styles/tokens.css'
import './styles/base.css'
import { mount } from 'svelte'
import { startAccount } from './account/account.svelte.js'
import App from './app.svelte'
import { rememberedUser } from './platform/remembered-user.js'
import { place, startRouter } from './platform/router.svelte.js'
import { readStored, resultsKey } from './platform/storage.js'
import { findRoute } from './routes.js'
import { loadOutbox } from './shell/load-outbox.js'
import { loadPage } from './shell/load-page.js'

const target = document.getElementById('app') as HTMLElement
target.replaceChildren()
// Requests the user first, then the chunk and the data of the page.
void startAccount((userId, isConfirmed) => {
  loadOutbox().then(
    ({ startSyncQueue }) => startSyncQueue().open(userId),
    () => undefined,
  )
  // Sends quiz results that an earlier visit could not send. The module is loaded on demand, because most users have
  // no such results.
  if (isConfirmed && readStored(resultsKey(userId)) !== undefined)
    import('./pages/quiz/quiz-state.svelte.js').then(
      ({ sendResults }) => sendResults(),
      () => undefined,
    )
})
startRouter()
const first = findRoute(place.path)
if (first !== undefined) {
  loadPage(first.route).catch(() => {})
  if (rememberedUser() !== undefined) first.route.prefetch?.(first.params)
}
mount(App, { target })
