import './styles/tokens.css'
import './styles/base.css'
import { mount } from 'svelte'
import { findAccount, isSomebodyKnown } from './account/account.svelte.js'
import App from './app.svelte'
import { place, startRouter } from './platform/router.svelte.js'
import { findRoute } from './routes.js'
import { loadPage } from './shell/load-page.js'

const target = document.getElementById('app') as HTMLElement
target.replaceChildren()
// What waits for the network longest begins first: who is here, then the page's own part and what it will show.
void findAccount()
startRouter()
const first = findRoute(place.path)
if (first !== undefined) {
  loadPage(first.route).catch(() => {})
  if (isSomebodyKnown()) first.route.ask?.(first.params)
}
mount(App, { target })
