import './styles/tokens.css'
import './styles/base.css'
import { mount } from 'svelte'
import { startAccount } from './account/account.svelte.js'
import App from './app.svelte'
import { rememberedUser } from './platform/remembered-user.js'
import { place, startRouter } from './platform/router.svelte.js'
import { findRoute } from './routes.js'
import { loadOutbox } from './shell/load-outbox.js'
import { loadPage } from './shell/load-page.js'

const target = document.getElementById('app') as HTMLElement
target.replaceChildren()
// Starts the request for the user first, then those for the chunk of the page and for its data.
void startAccount((userId) => {
  loadOutbox().then(
    ({ startPost }) => startPost().open(userId),
    () => undefined,
  )
})
startRouter()
const first = findRoute(place.path)
if (first !== undefined) {
  loadPage(first.route).catch(() => {})
  if (rememberedUser() !== undefined) first.route.ask?.(first.params)
}
mount(App, { target })
